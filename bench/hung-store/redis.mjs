// A lock with a TTL of 1 s is held while Redis stands still for 4 s. When does the holder learn that it may be overtaken?
// In time means: within the TTL, counted from the moment at which Redis stopped (its last renewal was even earlier).
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { median } from '../compare-cycles.mjs';
import { nodeVersions } from '../node-versions.mjs';
import { newestOnly, redisLocks } from '../redis-locks.mjs';
import { startRedis } from '../start-redis.mjs';

export const title = 'TTL 1 s, Redis stands still for 4 s while the lock is held: when does the holder learn of it?';

const worker = fileURLToPath(new URL('workers/hold.mjs', import.meta.url));
const ttlMs = 1_000;
const pauseMs = 4_000;

export async function run({ quick, log }) {
  const [own, newer] = nodeVersions();
  const redis = await startRedis();
  const results = new Map();
  try {
    for (let round = 0; round < (quick ? 1 : 5); round++) {
      const holders = Object.keys(redisLocks).flatMap((lock) => {
        const node = lock === newestOnly && !own.runsAll ? newer : own;
        return node ? [hold(redis.port, lock, node.program)] : [];
      });
      await Promise.all(holders.map(({ holding }) => holding));
      // Long enough for a first renewal, or its absence.
      await sleep(600);
      redis.pause();
      const stoppedMs = nowMs();
      await sleep(pauseMs);
      redis.resume();
      for (const { lock, over } of holders) {
        const { lostMs, outcome } = await over();
        const list = results.get(lock) ?? [];
        results.set(lock, [
          ...list,
          { afterMs: lostMs === null ? Number.POSITIVE_INFINITY : lostMs - stoppedMs, outcome },
        ]);
      }
      log(`round ${round + 1} done`);
    }
  } finally {
    await redis.stop();
  }
  const rows = [...results].map(([lock, list]) => {
    const afterMs = list.map((one) => one.afterMs);
    const middle = median(afterMs);
    const learned = Number.isFinite(middle) ? Math.round(middle) : 'not while Redis stood still';
    return {
      lock,
      // Without renewal the lock ends anyway: its clock said so before anything had happened.
      'holder learns of it after (ms)': middle < 0 ? 'ended before: it does not renew' : learned,
      'in time': `${afterMs.filter((ms) => ms <= ttlMs).length} of ${list.length}`,
      'what its caller got in the end': list.at(-1).outcome,
    };
  });
  return { rows, redis: redis.version };
}

function hold(port, lock, program) {
  const child = fork(worker, [String(port), lock, String(ttlMs)], {
    execPath: program,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const answers = [];
  child.on('message', (answer) => answers.push(answer));
  return {
    lock,
    holding: once(child, 'message'),
    /** What it noted until a little after Redis went on. */
    async over() {
      for (let waited = 0; answers.length < 2 && waited < 5_000; waited += 50) await sleep(50);
      child.kill('SIGKILL');
      return answers[1] ?? { lostMs: null, outcome: 'no answer within 5 s' };
    },
  };
}

/** The same for all processes of this machine. */
function nowMs() {
  return Number(process.hrtime.bigint() / 1000n) / 1000;
}
