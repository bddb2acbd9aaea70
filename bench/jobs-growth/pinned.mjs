// One idle REPEATABLE READ session keeps every dead row of the drain; then the latency is taken with it still open.
import { compareSystems, openServers } from '../job-bench.mjs';

export const title = 'What does an idle open transaction cost? (the first line has it; jobs per second and ms)';

export async function run({ quick, log }) {
  const servers = await openServers();
  try {
    const systems = [
      { what: 'kannuki, pinned', system: 'kannuki', pinned: true },
      { what: 'kannuki', system: 'kannuki', targets: { drainedPerSecond: '≥ 0.95', p99: '≤ 1.5' } },
    ];
    const question = { question: 'drain-then-latency', jobs: quick ? 20_000 : 200_000, samples: quick ? 100 : 2_000 };
    const figures = { drainedPerSecond: 0, p50: 2, p99: 2 };
    return { rows: await compareSystems({ systems, question, rounds: quick ? 1 : 5, servers, log, figures }) };
  } finally {
    await servers.close();
  }
}
