// A run in another process is canceled; until its handler's signal fires. Of the others only pg-boss has such a signal,
// at its next heartbeat of ten seconds or more.

import { openServers } from '../job-bench.mjs';
import { cancelAndMeasure } from '../job-recovery.mjs';

export const title = 'How long from a cancel until the signal fires in another process? (ms)';

export async function run({ quick, log }) {
  const servers = await openServers();
  try {
    return { rows: [await cancelAndMeasure({ samples: quick ? 20 : 300, servers, log })] };
  } finally {
    await servers.close();
  }
}
