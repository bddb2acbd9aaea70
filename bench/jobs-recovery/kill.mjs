// A worker is killed with -9 in the middle of a run; another one is idle. Until the run starts there.

import { openServers } from '../job-bench.mjs';
import { killAndMeasure } from '../job-recovery.mjs';

export const title =
  'How long from kill -9 of a worker until its run starts elsewhere? (seconds; silence limits of 3 s, pg-boss 10 s, its least)';

export async function run({ quick, log }) {
  const servers = await openServers();
  try {
    const rounds = quick ? 2 : 20;
    const rows = [await killAndMeasure({ what: 'kannuki', system: 'kannuki', rounds, servers, log })];
    if (servers.redisPort)
      rows.push(await killAndMeasure({ what: 'BullMQ 6.7 on Redis', system: 'bullmq', rounds, servers, log }));
    rows.push(await killAndMeasure({ what: 'pg-boss 12.38', system: 'pg-boss', rounds, servers, log }));
    return { rows };
  } finally {
    await servers.close();
  }
}
