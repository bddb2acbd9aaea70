// The same inside PGlite: one connection, no server.
import { compareSystems, openServers } from '../job-bench.mjs';

export const title = 'How many jobs per second on PGlite? (in memory; higher is better)';

export async function run({ quick, log }) {
  const servers = await openServers();
  try {
    const systems = [
      { what: 'kannuki on PGlite', system: 'kannuki', pglite: true },
      {
        what: 'pg-boss 12.38 on PGlite',
        system: 'pg-boss',
        pglite: true,
        targets: { drainedPerSecond: '≥ 1.6' },
      },
    ];
    const question = { question: 'drain', jobs: quick ? 10_000 : 50_000 };
    const figures = { enqueuedPerSecond: 0, drainedPerSecond: 0, clientMicrosPerJob: 1 };
    const rounds = quick ? 1 : 7;
    return { rows: await compareSystems({ systems, question, rounds, servers, log, figures }) };
  } finally {
    await servers.close();
  }
}
