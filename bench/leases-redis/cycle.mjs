// Acquire and release of a free lease, one connection, a process for each lock, against the two bare commands that are
// the limit (no token, no line, no renewal) and against what people use today. The locks take turns in blocks; the ratio
// is the median of those within a round.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { compareTurns } from '../compare-cycles.mjs';
import { nodeVersions } from '../node-versions.mjs';
import { newestOnly, redisLocks } from '../redis-locks.mjs';
import { startRedis } from '../start-redis.mjs';

export const title = 'How long does it take to acquire and release a free lease in Redis? (16 keys in turn)';

const worker = fileURLToPath(new URL('workers/cycle.mjs', import.meta.url));
const bare = 'limit: SET NX PX + compare and delete';
const base = [bare, '@verrou/core 0.5.2', 'redis-semaphore 5.8.0'];

export async function run({ quick, log }) {
  const redis = await startRedis();
  const rows = [];
  try {
    for (const { name: node, program, runsAll } of nodeVersions()) {
      const locks = [bare, ...Object.keys(redisLocks).filter((lock) => runsAll || lock !== newestOnly)];
      const children = await Promise.all(locks.map((lock) => openLock({ port: redis.port, lock, program })));
      try {
        const turns = Object.fromEntries(locks.map((lock, i) => [lock, (count) => takeTurn(children[i], count)]));
        const rounds = quick ? 21 : 61;
        const measured = await compareTurns(turns, { base, batch: 200, rounds, warmUp: quick ? 2_000 : 15_000 });
        rows.push(...measured.map((row) => ({ node, ...row })));
      } finally {
        for (const child of children) child.kill('SIGKILL');
      }
      log(`${node} done`);
    }
  } finally {
    await redis.stop();
  }
  return { rows, redis: redis.version };
}

async function openLock({ port, lock, program }) {
  const child = fork(worker, [String(port), lock], { execPath: program });
  child.once('exit', (code) => {
    if (!child.killed) throw new Error(`The worker of ${lock} ended with code ${code} before it had measured.`);
  });
  await once(child, 'message');
  return child;
}

async function takeTurn(child, count) {
  const answered = once(child, 'message');
  child.send(count);
  const [{ microseconds }] = await answered;
  return microseconds;
}
