// Holds one lock for 4.7 s of work and notes when the library says that it is lost.
import { setTimeout as sleep } from 'node:timers/promises';
import { redisLocks } from '../../redis-locks.mjs';

const [port, lock, ttlMs] = process.argv.slice(2);
const workMs = 4_700;
const nowMs = () => Number(process.hrtime.bigint() / 1000n) / 1000;
const { hold } = await redisLocks[lock].open(Number(port));
let lostMs = null;
let outcome;
try {
  await hold(`hung-${process.pid}`, Number(ttlMs), async ({ aborted }) => {
    process.send('holding');
    for (const end = nowMs() + workMs; nowMs() < end && lostMs === null; ) {
      await sleep(5);
      if (aborted()) lostMs = nowMs();
    }
  });
  outcome = 'success';
} catch (error) {
  outcome = `${error.name}: ${error.message}`.slice(0, 80);
}
process.send({ lostMs, outcome });
