// A worker is killed with -9 in the middle of a run; another one is idle. Until the run starts there.

import { openServers } from '../job-bench.mjs';
import { killAndMeasure } from '../job-recovery.mjs';

export const title =
  'How long from kill -9 of a worker until its run starts elsewhere? (seconds; silence limits of 3 s, pg-boss 10 s, its least)';

export async function run({ quick, log }) {
  const servers = await openServers();
  try {
    const measure = (what, system, rounds, target) =>
      killAndMeasure({ what, system, rounds: quick ? 2 : rounds, servers, log, target });
    // 3 s of silence, 2.4 s in which the worker may confirm, a second for the rest.
    const rows = [await measure('kannuki', 'kannuki', 20, '≤ 6.4')];
    if (servers.redisPort) rows.push(await measure('BullMQ 6.7 on Redis', 'bullmq', 8));
    rows.push(await measure('pg-boss 12.38', 'pg-boss', 4));
    return { rows };
  } finally {
    await servers.close();
  }
}
