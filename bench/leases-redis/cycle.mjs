// Acquire and release of a free lease, one process, one connection each, against the two bare commands that are the limit
// (no token, no line, no renewal) and against what people use today.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { nodeVersions } from '../node-versions.mjs';
import { startRedis } from '../start-redis.mjs';

export const title = 'How long does it take to acquire and release a free lease in Redis? (16 keys in turn)';

const worker = fileURLToPath(new URL('workers/cycle.mjs', import.meta.url));

export async function run({ quick, log }) {
  const redis = await startRedis();
  const rows = [];
  try {
    for (const { name, program, runsAll } of nodeVersions()) {
      const args = [String(redis.port), runsAll ? 'all' : 'most', quick ? 'quick' : 'long'];
      const child = fork(worker, args, { execPath: program });
      const [measured] = await Promise.race([once(child, 'message'), fails(child)]);
      child.kill('SIGKILL');
      rows.push(...measured.map((row) => ({ node: name, ...row })));
      log(`${name} done`);
    }
  } finally {
    await redis.stop();
  }
  return { rows, redis: redis.version };
}

async function fails(child) {
  const [code] = await once(child, 'exit');
  throw new Error(`The worker ended with code ${code} before it had measured.`);
}
