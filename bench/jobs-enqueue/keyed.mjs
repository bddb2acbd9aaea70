// The same with a key on every job, by which a second one is not made.
import { compareSystems, openServers } from '../job-bench.mjs';

export const title = 'How many jobs with a key of their own per second? (PostgreSQL, fsync on; higher is better)';

export async function run({ quick, log }) {
  const servers = await openServers();
  try {
    const systems = [
      { what: 'kannuki (idempotency key, kept after the end)', system: 'kannuki', keyed: true },
      { what: 'graphile-worker 0.18 (job key)', system: 'graphile-worker', keyed: true },
      { what: 'pg-boss 12.38 (singleton key)', system: 'pg-boss', keyed: true },
      ...(servers.redisPort
        ? [{ what: 'BullMQ 6.7 on Redis without persistence (job id)', system: 'bullmq', keyed: true }]
        : []),
    ];
    const question = { question: 'enqueue', jobs: quick ? 20_000 : 100_000 };
    const figures = { enqueuedPerSecond: 0 };
    const rounds = quick ? 1 : 5;
    return { rows: await compareSystems({ systems, question, rounds, servers, log, figures }) };
  } finally {
    await servers.close();
  }
}
