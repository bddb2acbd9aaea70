// One process of the hand-over bench: some waiters that take turns on the key its parent names.
import { setTimeout as sleep } from 'node:timers/promises';
import { kinds } from './lock-kinds.mjs';

const [url, kind, waiters, sections] = process.argv.slice(2);
const now = () => Number(process.hrtime.bigint() / 1000n) / 1000;
const lock = await kinds[kind].open(url);
for (let i = 0; i < 20; i++) await lock(`warm-${process.pid}`, () => undefined);
process.on('message', async (key) => {
  const start = now();
  let longest = 0;
  const takeTurns = async () => {
    for (let i = 0; i < Number(sections); i++) {
      const askedAt = now();
      await lock(key, async () => {
        longest = Math.max(longest, now() - askedAt);
        await sleep(5);
      });
    }
  };
  await Promise.all(Array.from({ length: Number(waiters) }, takeTurns));
  process.send({ start, end: now(), longest });
});
process.send('ready');
