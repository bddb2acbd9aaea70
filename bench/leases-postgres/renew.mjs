// One heartbeat for any number of leases: how long does one beat take?
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbedded } from '../../dist/embedded/index.js';
import { migrate } from '../../dist/index.js';
import { postgresStore } from '../../dist/stores/postgres/index.js';
import { median } from '../compare-cycles.mjs';

export const title = 'How long does one heartbeat take that renews many leases of one process in one statement?';

export async function run({ quick }) {
  const dir = mkdtempSync(join(tmpdir(), 'kannuki-bench-pg-'));
  const embedded = await openEmbedded({ dir, engine: 'postgres' });
  const store = postgresStore({ database: embedded });
  try {
    await migrate(embedded, store.schema.migrations);
    const most = quick ? 1_000 : 10_000;
    const held = [];
    for (let first = 0; first < most; first += 500) {
      const some = Array.from({ length: Math.min(500, most - first) }, (_, i) => ({
        key: `key-${first + i}`,
        owner: `0123456789ab.${first + i}@bench`,
      }));
      held.push(
        ...(await Promise.all(
          some.map(async ({ key, owner }) => {
            const reply = await store.acquire({ key, owner, ttlMs: 3_600_000, line: false });
            return { key, owner, token: reply.lastToken, ttlMs: 3_600_000 };
          }),
        )),
      );
    }
    const rows = [];
    for (const count of [1, 100, 1_000, 10_000].filter((count) => count <= most)) {
      const times = [];
      for (let round = 0; round < 9; round++) {
        const start = performance.now();
        const renewed = await store.renew(held.slice(0, count));
        if (!renewed.every(Boolean)) throw new Error('A lease was not renewed.');
        times.push(performance.now() - start);
      }
      rows.push({ leases: count, milliseconds: median(times) });
    }
    return { rows };
  } finally {
    await store.close();
    await embedded.close();
    rmSync(dir, { recursive: true, force: true });
  }
}
