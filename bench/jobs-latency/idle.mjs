// From enqueue to the first line of the handler, one job at a time, an idle worker in the enqueuing process.
import { compareSystems, openServers } from '../job-bench.mjs';

export const title = 'How long from enqueue to the start of the handler? (ms, PostgreSQL, fsync on; lower is better)';

export async function run({ quick, log }) {
  const servers = await openServers();
  try {
    const systems = [
      { what: 'kannuki', system: 'kannuki' },
      {
        what: 'graphile-worker 0.18',
        system: 'graphile-worker',
        targets: { p50: '≤ 0.8', p99: '≤ 1.0' },
      },
      { what: 'pg-boss 12.38', system: 'pg-boss', notify: true },
    ];
    const question = { question: 'latency', samples: quick ? 200 : 2_000 };
    const figures = { p50: 2, p99: 2 };
    const rounds = quick ? 1 : 5;
    return { rows: await compareSystems({ systems, question, rounds, servers, log, figures }) };
  } finally {
    await servers.close();
  }
}
