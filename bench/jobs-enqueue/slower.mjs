// BullMQ keeps nothing on disk here; DBOS makes a workflow of every job. Fewer jobs keep the run short.
import { compareSystems, openServers } from '../job-bench.mjs';

export const title = 'The same against BullMQ and DBOS, with fewer jobs and no options';

export async function run({ quick, log }) {
  const servers = await openServers();
  try {
    const systems = [
      { what: 'kannuki', system: 'kannuki' },
      ...(servers.redisPort ? [{ what: 'BullMQ 6.7 on Redis without persistence', system: 'bullmq' }] : []),
      { what: 'DBOS 5.3', system: 'dbos' },
    ];
    const question = { question: 'enqueue', jobs: quick ? 5_000 : 20_000 };
    const figures = { enqueuedPerSecond: 0 };
    const rounds = quick ? 1 : 3;
    return { rows: await compareSystems({ systems, question, rounds, servers, log, figures }) };
  } finally {
    await servers.close();
  }
}
