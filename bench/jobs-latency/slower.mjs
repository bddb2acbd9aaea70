// DBOS polls its queue; BullMQ keeps nothing on disk here.
import { compareSystems, openServers } from '../job-bench.mjs';

export const title = 'The same against BullMQ and DBOS (ms; lower is better)';

export async function run({ quick, log }) {
  const servers = await openServers();
  try {
    const systems = [
      { what: 'kannuki', system: 'kannuki' },
      ...(servers.redisPort ? [{ what: 'BullMQ 6.7 on Redis without persistence', system: 'bullmq' }] : []),
      { what: 'DBOS 5.3, queue', system: 'dbos' },
    ];
    const question = { question: 'latency', samples: quick ? 100 : 500 };
    const figures = { p50: 2, p99: 2 };
    const rounds = quick ? 1 : 3;
    return { rows: await compareSystems({ systems, question, rounds, servers, log, figures }) };
  } finally {
    await servers.close();
  }
}
