// One idle REPEATABLE READ session keeps every dead row of the drain; then the latency is taken with it still open.
import { compareSystems, openServers } from '../job-bench.mjs';

export const title =
  'What does an idle open transaction cost? (jobs per second and ms; compare the two lines of a system)';

export async function run({ quick, log }) {
  const servers = await openServers();
  try {
    const systems = [
      { what: 'kannuki, pinned', system: 'kannuki', pinned: true },
      { what: 'kannuki', system: 'kannuki' },
      { what: 'graphile-worker 0.18, pinned', system: 'graphile-worker', pinned: true },
      { what: 'graphile-worker 0.18', system: 'graphile-worker' },
      { what: 'pg-boss 12.38, pinned', system: 'pg-boss', notify: true, pinned: true },
      { what: 'pg-boss 12.38', system: 'pg-boss', notify: true },
    ];
    const question = { question: 'drain-then-latency', jobs: quick ? 20_000 : 200_000, samples: quick ? 100 : 2_000 };
    const figures = { drainedPerSecond: 0, p50: 2, p99: 2 };
    return { rows: await compareSystems({ systems, question, rounds: quick ? 1 : 5, servers, log, figures }) };
  } finally {
    await servers.close();
  }
}
