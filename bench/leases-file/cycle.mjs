// Acquire and release of a free lease by one process, against proper-lockfile.
import { closeSync, mkdtempSync, openSync, rmSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import lockfile from 'proper-lockfile';
import { createLeases } from '../../dist/index.js';
import { fileStore } from '../../dist/stores/file/index.js';
import { compareCycles } from '../compare-cycles.mjs';

export const title =
  'How long does it take to acquire and release a free lease in a file? (8 keys in turn, one process)';

const keys = 8;
const peer = 'proper-lockfile 4.1.2, lock + release';

export async function run({ quick }) {
  const dir = mkdtempSync(join(tmpdir(), 'kannuki-bench-file-'));
  const leases = createLeases({ store: fileStore({ dir: join(dir, 'keeper') }) });
  const stores = Array.from({ length: 2 }, () => fileStore({ dir: join(dir, 'store') }));
  try {
    const cycles = {
      [peer]: async (i) => {
        const release = await lockfile.lock(join(dir, `peer-${i % keys}`), { realpath: false });
        await release();
      },
      'create a file exclusively + unlink (no owner, no end, no token)': async (i) => {
        const path = join(dir, `bare-${i % keys}`);
        closeSync(openSync(path, 'wx'));
        unlinkSync(path);
      },
      'kannuki file store': (i) => storeCycle(stores[0], i),
      'kannuki file store, last used by another store': (i) => storeCycle(stores[(i + (i >> 3)) % 2], i),
      'kannuki createLeases, tryAcquire + release': async (i) => {
        const outcome = await leases.tryAcquire(`key-${i % keys}`);
        if (!outcome.acquired || !(await outcome.lease.release())) throw new Error('A free lease was not granted.');
      },
    };
    return {
      rows: await compareCycles(cycles, {
        base: [peer],
        ...(quick ? { batch: 24, rounds: 11 } : { batch: 96, rounds: 31 }),
      }),
    };
  } finally {
    await leases.close();
    for (const store of stores) await store.close();
    rmSync(dir, { recursive: true });
  }
}

let attempts = 0;

async function storeCycle(store, i) {
  const key = `key-${i % keys}`;
  const owner = `0123456789abcdef.${++attempts}@bench:1`;
  const reply = await store.acquire({ key, owner, ttlMs: 15_000, line: false });
  if (!reply.granted) throw new Error('A free lease was not granted.');
  if (!(await store.release({ key, owner, token: reply.lastToken, acceptMs: 2_000 }))) throw new Error('Not released.');
}
