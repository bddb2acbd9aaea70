// The peers under the same idle session, beside ours; compare the two lines of a system.
import { compareSystems, openServers } from '../job-bench.mjs';

export const title = 'What does an idle open transaction cost the others? (jobs per second and ms)';

export async function run({ quick, log }) {
  const servers = await openServers();
  try {
    const systems = [
      { what: 'kannuki, pinned', system: 'kannuki', pinned: true },
      { what: 'graphile-worker 0.18, pinned', system: 'graphile-worker', pinned: true },
      { what: 'graphile-worker 0.18', system: 'graphile-worker' },
      { what: 'pg-boss 12.38, pinned', system: 'pg-boss', notify: true, pinned: true },
      { what: 'pg-boss 12.38', system: 'pg-boss', notify: true },
    ];
    const question = { question: 'drain-then-latency', jobs: quick ? 10_000 : 100_000, samples: quick ? 50 : 300 };
    const figures = { drainedPerSecond: 0, p50: 2, p99: 2 };
    return { rows: await compareSystems({ systems, question, rounds: quick ? 1 : 2, servers, log, figures }) };
  } finally {
    await servers.close();
  }
}
