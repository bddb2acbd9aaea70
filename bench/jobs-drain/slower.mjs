// DBOS takes each step durably and is far slower at trivial jobs; fewer of them keep the run short.
import { compareSystems, openServers } from '../job-bench.mjs';

export const title =
  'The same against DBOS, with fewer jobs; its clock includes the enqueue, which it drains meanwhile';

export async function run({ quick, log }) {
  const servers = await openServers();
  try {
    const systems = [
      { what: 'kannuki', system: 'kannuki' },
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
