// Bulk enqueue, payload one integer, a priority of its own for every job.
import { compareSystems, openServers } from '../job-bench.mjs';

export const title =
  'How many jobs per second does a bulk enqueue store, options per job? (PostgreSQL, fsync on; higher is better)';

export async function run({ quick, log }) {
  const servers = await openServers();
  try {
    const systems = [
      { what: 'kannuki', system: 'kannuki', ownOptions: true },
      {
        what: 'graphile-worker 0.18',
        system: 'graphile-worker',
        ownOptions: true,
        targets: { enqueuedPerSecond: '≥ 1.4' },
      },
      { what: 'pg-boss 12.38', system: 'pg-boss', ownOptions: true, targets: { enqueuedPerSecond: '≥ 3' } },
      { what: 'kannuki, one job without options', system: 'kannuki' },
    ];
    const question = { question: 'enqueue', jobs: quick ? 20_000 : 200_000 };
    const figures = { enqueuedPerSecond: 0 };
    const rounds = quick ? 1 : 7;
    return { rows: await compareSystems({ systems, question, rounds, servers, log, figures }) };
  } finally {
    await servers.close();
  }
}
