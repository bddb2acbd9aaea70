// Ended runs are in a table that nothing on the hot path reads. The same system, with and without them; the database that
// has them is filled once and used in every round.
import { compareSystems, measureSystem, openServers } from '../job-bench.mjs';

export const title = 'What do ended runs in the history cost? (the first line has them; jobs per second and ms)';

export async function run({ quick, log }) {
  const servers = await openServers();
  const historyRows = quick ? 200_000 : 10_000_000;
  try {
    const start = performance.now();
    const kept = await servers.keepDatabase((url) =>
      measureSystem({ system: 'kannuki', question: 'prepare', historyRows, url }),
    );
    log(`${historyRows.toLocaleString('en')} ended runs made in ${Math.round((performance.now() - start) / 1_000)} s`);
    const systems = [
      { what: `kannuki, ${historyRows.toLocaleString('en')} ended runs`, system: 'kannuki', kept },
      { what: 'kannuki, none', system: 'kannuki', targets: { drainedPerSecond: '≥ 0.95' } },
    ];
    const question = { question: 'drain-then-latency', jobs: quick ? 20_000 : 200_000, samples: quick ? 100 : 500 };
    const figures = { drainedPerSecond: 0, p50: 2, p99: 2 };
    return { rows: await compareSystems({ systems, question, rounds: quick ? 1 : 5, servers, log, figures }) };
  } finally {
    await servers.close();
  }
}
