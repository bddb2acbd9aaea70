// Acquire and release of a free lease, one process, one connection each, against the two bare statements that are the
// limit (a plain counter, no line, no block) and against what people use today.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Verrou } from '@verrou/core';
import { knexStore } from '@verrou/core/drivers/knex';
import advisoryLock from 'advisory-lock';
import knex from 'knex';
import pg from 'pg';
import { openEmbedded } from '../../dist/embedded/index.js';
import { createLeases } from '../../dist/index.js';
import { postgresStore } from '../../dist/stores/postgres/index.js';
import { compareCycles } from '../compare-cycles.mjs';

export const title =
  'How long does it take to acquire and release a free lease in PostgreSQL? (16 keys in turn, fsync on)';

const keys = 16;
const bare = 'bare, both synchronous';
const bareAsync = 'bare, release asynchronous';
const acquireBare = `insert into bare as l values ($1, 1, $2, now() + $3 * interval '1 ms')
on conflict (key) do update set token = l.token + 1, owner = excluded.owner, expires_at = excluded.expires_at
where l.owner is null or l.expires_at <= now() returning token`;
const releaseBare = 'update bare set owner = null where key = $1 and owner = $2 and token = $3 returning key';
const releaseBareAsync = releaseBare.replace('returning', "returning set_config('synchronous_commit', 'off', true),");

export async function run({ quick }) {
  const dir = mkdtempSync(join(tmpdir(), 'kannuki-bench-pg-'));
  const embedded = await openEmbedded({ dir, engine: 'postgres' });
  const { url } = embedded;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(
    'create table bare (key text primary key, token bigint not null, owner text, expires_at timestamptz not null) with (fillfactor = 50)',
  );
  const keepers = Object.fromEntries(
    ['strict', 'standard', 'relaxed'].map((durability) => {
      const store = postgresStore({ connectionString: url, schema: `bench_${durability}`, durability, max: 1 });
      return [durability, { store, leases: createLeases({ store }) }];
    }),
  );
  const db = knex({ client: 'pg', connection: url, pool: { min: 1, max: 1 } });
  const verrou = new Verrou({
    default: 'pg',
    stores: { pg: { driver: knexStore({ connection: db, tableName: 'verrou' }) } },
  });
  // Its ESM entry wraps the CommonJS one.
  const mutexOf = (advisoryLock.default ?? advisoryLock)(url);
  const mutexes = Array.from({ length: keys }, (_, i) => mutexOf(`key-${i}`));
  let n = 0;
  const statements = (release, name) => async (i) => {
    const key = `key-${i % keys}`;
    const owner = `bench.${++n}`;
    const { rows } = await client.query({ name: 'acquire_bare', text: acquireBare, values: [key, owner, 10_000] });
    const released = await client.query({ name, text: release, values: [key, owner, rows[0].token] });
    if (released.rowCount !== 1) throw new Error('Not released.');
  };
  const kannuki = (durability) => async (i) => {
    const outcome = await keepers[durability].leases.acquire(`key-${i % keys}`);
    if (!outcome.acquired || !(await outcome.lease.release())) throw new Error('A free lease was not granted.');
  };
  const cycles = {
    [bare]: statements(releaseBare, 'release_bare'),
    [bareAsync]: statements(releaseBareAsync, 'release_bare_async'),
    'kannuki, both synchronous (durability: strict)': kannuki('strict'),
    'kannuki (default: a free release is asynchronous)': kannuki('standard'),
    'kannuki, both asynchronous (durability: relaxed)': kannuki('relaxed'),
    '@verrou/core 0.5.2 on knex (no token, client’s clock)': async (i) => {
      const lock = verrou.createLock(`key-${i % keys}`, '10s');
      if (!(await lock.acquireImmediately())) throw new Error('A free lock was not granted.');
      await lock.release();
    },
    'advisory-lock 2.0.0 (session lock: no TTL, no token)': async (i) => {
      const unlock = await mutexes[i % keys].tryLock();
      if (!unlock) throw new Error('A free lock was not granted.');
      await unlock();
    },
  };
  try {
    return {
      rows: await compareCycles(cycles, {
        base: [bare, bareAsync],
        ...(quick ? { batch: 20, rounds: 9 } : { batch: 40, rounds: 41, warmUp: 1_000 }),
      }),
    };
  } finally {
    for (const { store, leases } of Object.values(keepers)) {
      await leases.close();
      await store.close();
    }
    await db.destroy();
    await client.end();
    await embedded.close();
    rmSync(dir, { recursive: true, force: true });
  }
}
