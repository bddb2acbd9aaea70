// BullMQ keeps nothing on disk here, DBOS takes every step durably; fewer jobs keep the run short.
import { compareSystems, openServers } from '../job-bench.mjs';

export const title =
  'The same against BullMQ and DBOS, with fewer jobs (the clock of DBOS includes the enqueue, which it drains meanwhile)';

export async function run({ quick, log }) {
  const servers = await openServers();
  try {
    const systems = [
      { what: 'kannuki', system: 'kannuki' },
      ...(servers.redisPort ? [{ what: 'BullMQ 6.7 on Redis without persistence', system: 'bullmq' }] : []),
      { what: 'DBOS 5.3', system: 'dbos' },
    ];
    const question = { question: 'drain', jobs: quick ? 3_000 : 20_000 };
    const rounds = quick ? 1 : 3;
    const figures = { drainedPerSecond: 0 };
    return { rows: await compareSystems({ systems, question, rounds, servers, log, figures }) };
  } finally {
    await servers.close();
  }
}
