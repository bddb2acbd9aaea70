// One process, trivial handler. The clock stops when the end of the last job is durable, not at the last handler call.
import { compareSystems, openServers } from '../job-bench.mjs';

export const title =
  'How many jobs per second does one process finish? (PostgreSQL, fsync on; graphile-worker deletes, the others keep history)';

export async function run({ quick, log }) {
  const servers = await openServers();
  try {
    const systems = [
      { what: 'kannuki', system: 'kannuki' },
      {
        what: 'graphile-worker 0.18, local queue 5000',
        system: 'graphile-worker',
        localQueue: 5_000,
        targets: { drainedPerSecond: '≥ 1.3' },
      },
      { what: 'graphile-worker 0.18, local queue 500', system: 'graphile-worker', localQueue: 500 },
      { what: 'pg-boss 12.38', system: 'pg-boss', targets: { drainedPerSecond: '≥ 2' } },
    ];
    const question = { question: 'drain', jobs: quick ? 30_000 : 200_000 };
    const figures = { drainedPerSecond: 0, rowsHeld: 0, peakMegabytes: 0 };
    const rounds = quick ? 1 : 7;
    return { rows: await compareSystems({ systems, question, rounds, servers, log, figures }) };
  } finally {
    await servers.close();
  }
}
