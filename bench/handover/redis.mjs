// Eight waiters, ten sections of 5 ms each, one key in Redis: how much longer than the same sections back to back, and
// how long does the unluckiest section wait? Once with all waiters in one process, once with each in its own.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { median } from '../compare-cycles.mjs';
import { nodeVersions } from '../node-versions.mjs';
import { newestOnly, redisLocks } from '../redis-locks.mjs';
import { startRedis } from '../start-redis.mjs';

export const title = 'Eight waiters × ten sections of 5 ms on one key in Redis: how close to back to back?';

const worker = fileURLToPath(new URL('workers/take-turns.mjs', import.meta.url));
const ringWorker = fileURLToPath(new URL('workers/ring.mjs', import.meta.url));
const ideal = 'ideal: the same sections back to back';
const limit = 'limit: a ring passing on with one bare script + publish, no lease';
const waiters = 8;
const sections = 10;
/** What is compared is processes that have been running for a while. */
const warmLaps = 3;

export async function run({ quick, log }) {
  const redis = await startRedis();
  const results = new Map();
  try {
    for (let round = 0; round < (quick ? 2 : 7); round++) {
      for (const { lock, node, program, processes } of contests()) {
        const key = `hot-${round}-${lock}-${processes}`;
        const contest = { port: redis.port, lock, program, processes, key };
        const { took, longest } = await (lock === limit ? runRing(contest) : takeTurns(contest));
        const name = `${lock}|${processes}|${node}`;
        results.set(name, [...(results.get(name) ?? []), { took, longest }]);
      }
      log(`round ${round + 1} done`);
    }
  } finally {
    await redis.stop();
  }
  const rows = [...results].map(([name, list]) => {
    const [locks, processes, node] = name.split('|');
    const ideals = results.get(`${ideal}|1|${node}`);
    const limits = results.get(`${limit}|8|${node}`);
    return {
      locks,
      processes: Number(processes),
      node,
      milliseconds: Math.round(median(list.map(({ took }) => took))),
      '× ideal': median(list.map(({ took }, i) => took / ideals[i].took)),
      // Only where there is something to pass on between processes.
      '× limit': processes === '8' ? median(list.map(({ took }, i) => took / limits[i].took)) : '',
      'longest wait (ms)': Math.round(median(list.map(({ longest }) => longest))),
    };
  });
  return { rows, redis: redis.version };
}

/** Everything on this Node; what refuses it, and ours beside it, on a newer one. */
function contests() {
  const [own, newer] = nodeVersions();
  const locks = Object.keys(redisLocks).filter((lock) => own.runsAll || lock !== newestOnly);
  const on = ({ name: node, program }, names) =>
    [ideal, limit, ...names].flatMap((lock) =>
      (lock === ideal ? [1] : lock === limit ? [8] : [1, 8]).map((processes) => ({ lock, node, program, processes })),
    );
  return [...on(own, locks), ...(newer ? on(newer, ['kannuki on ioredis', newestOnly]) : [])];
}

async function takeTurns({ port, lock, program, processes, key }) {
  const children = Array.from({ length: processes }, () =>
    fork(worker, [String(port), lock, String(waiters / processes), String(sections)], { execPath: program }),
  );
  try {
    await Promise.all(children.map((child) => once(child, 'message')));
    // First with other keys, so that connections for waiting are open and the code is warm, for everybody.
    for (let lap = 0; lap < warmLaps; lap++) await askAll(children, `warm-${lap}-${key}`);
    const done = await askAll(children, key);
    return {
      took: Math.max(...done.map(({ end }) => end)) - Math.min(...done.map(({ start }) => start)),
      longest: Math.max(...done.map(({ longest }) => longest)),
    };
  } finally {
    for (const child of children) child.kill('SIGKILL');
  }
}

/** Processes in a ring, each told by the one before it. */
async function runRing({ port, program, processes, key }) {
  const children = Array.from({ length: processes }, (_, i) =>
    fork(ringWorker, [String(port), String(i), String(processes), String(waiters * sections)], { execPath: program }),
  );
  try {
    await Promise.all(children.map((child) => once(child, 'message')));
    const runLap = async (lap) => {
      const [first, ...others] = children;
      const ready = others.map((child) => once(child, 'message'));
      for (const child of others) child.send({ lap });
      await Promise.all(ready);
      const over = Promise.race(children.map((child) => once(child, 'message')));
      const start = performance.now();
      first.send({ lap, start: true });
      await over;
      return performance.now() - start;
    };
    for (let lap = 0; lap < warmLaps; lap++) await runLap(`warm-${lap}-${key}`);
    return { took: await runLap(key), longest: 0 };
  } finally {
    for (const child of children) child.kill('SIGKILL');
  }
}

async function askAll(children, key) {
  const answers = children.map((child) => once(child, 'message'));
  for (const child of children) child.send(key);
  return (await Promise.all(answers)).map(([answer]) => answer);
}
