// One process of the hand-over bench: some waiters that take turns on the key its parent names.
import { setTimeout as sleep } from 'node:timers/promises';
import { redisLocks } from '../../redis-locks.mjs';

const [port, lock, waiters, sections] = process.argv.slice(2);
const now = () => Number(process.hrtime.bigint() / 1000n) / 1000;
const { turn } = await (redisLocks[lock] ?? { open: oneAfterTheOther }).open(Number(port));
for (let i = 0; i < 20; i++) await turn(`warm-${process.pid}`, async () => undefined);
process.on('message', async (key) => {
  const start = now();
  let longest = 0;
  const takeTurns = async () => {
    for (let i = 0; i < Number(sections); i++) {
      const askedAt = now();
      await turn(key, async () => {
        longest = Math.max(longest, now() - askedAt);
        await sleep(5);
      });
    }
  };
  await Promise.all(Array.from({ length: Number(waiters) }, takeTurns));
  process.send({ start, end: now(), longest });
});
process.send('ready');

/** No lock at all: what every lock is measured against. */
function oneAfterTheOther() {
  let last = Promise.resolve();
  return {
    turn(_key, work) {
      last = last.then(work);
      return last;
    },
  };
}
