// Bulk enqueue, options per row, payload one integer.
import { compareSystems, openServers } from '../job-bench.mjs';

export const title = 'How many jobs per second does a bulk enqueue store? (PostgreSQL, fsync on; higher is better)';

export async function run({ quick, log }) {
  const servers = await openServers();
  try {
    const systems = [
      { what: 'kannuki', system: 'kannuki' },
      { what: 'graphile-worker 0.18', system: 'graphile-worker' },
      { what: 'pg-boss 12.38', system: 'pg-boss' },
      { what: 'DBOS 5.3', system: 'dbos' },
      ...(servers.redisPort ? [{ what: 'BullMQ 6.7 on Redis without persistence', system: 'bullmq' }] : []),
    ];
    const question = { question: 'enqueue', jobs: quick ? 20_000 : 200_000 };
    const figures = { enqueuedPerSecond: 0 };
    const rounds = quick ? 1 : 5;
    return { rows: await compareSystems({ systems, question, rounds, servers, log, figures }) };
  } finally {
    await servers.close();
  }
}
