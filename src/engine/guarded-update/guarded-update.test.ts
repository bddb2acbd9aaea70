import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type PostgresServer, startPostgres } from '../../../test/servers/postgres-server.ts';
import type { SqlDatabase, SqlExecutor, SqlStatement } from '../../core/ports.ts';
import { defineTransitions } from '../../core/transition.ts';
import { leaseMigrations } from '../../sql/lease-migrations.ts';
import { pgliteDatabase } from '../../stores/pglite/index.ts';
import { postgresDatabase } from '../../stores/postgres/index.ts';
import { migrate } from '../migrate.ts';
import { guardedUpdate } from './guarded-update.ts';

const orders = defineTransitions({
  states: ['new', 'paid', 'sent', 'cancelled'],
  initial: 'new',
  moves: { new: { to: ['paid', 'cancelled'] }, paid: { to: ['sent', 'cancelled'] } },
});

interface Order {
  readonly id: number;
  readonly state: string;
  readonly version: number;
  readonly owner: string | null;
  readonly note: string | null;
}

const table = { schema: 'shop', name: 'Order "items"' };
const quoted = 'shop."Order ""items"""';

describe.each(['PGlite', 'PostgreSQL 15', 'PostgreSQL 18'])('guardedUpdate on %s', (engine) => {
  let server: PostgresServer | undefined;
  let database: SqlDatabase;
  let id = 0;

  beforeAll(async () => {
    if (engine !== 'PGlite') server = await startPostgres({ major: engine.endsWith('15') ? 15 : 18 });
    database = server
      ? postgresDatabase({ connectionString: server.url, listen: false })
      : pgliteDatabase({ dir: 'memory' });
    await migrate(database, [leaseMigrations]);
    await database.query({ text: 'create schema shop' });
    await database.query({
      text: `create table ${quoted} (id int, part int, state text not null, version int not null, owner text, note text,
        price numeric, "at" timestamptz, data jsonb, primary key (id, part))`,
    });
  });
  afterAll(async () => {
    await database?.close();
    await server?.stop();
  });
  beforeEach(async () => {
    await database.query({
      text: `insert into ${quoted} (id, part, state, version, owner, price) values ($1, 1, 'new', 3, 'ann', 1.50)`,
      values: [++id],
    });
  });

  const key = () => ({ id, part: 1 });
  const read = async () =>
    (await database.query<Order>({ text: `select * from ${quoted} where id = $1`, values: [id] })).rows[0];
  const setFence = (token: number) =>
    database.query({
      text: `insert into kannuki.fences as f (resource, token) values ($1, $2) on conflict (resource) do update set token = greatest(f.token, excluded.token)`,
      values: [`order/${id}`, token],
    });

  it('writes what is as expected, raises the version, returns the row', async () => {
    const outcome = await guardedUpdate<Order>(database, {
      table,
      id: key(),
      expect: { version: 3, state: 'new', owner: 'ann', note: null },
      set: { state: 'paid', note: 'cash' },
    });
    expect(outcome).toMatchObject({ updated: true, row: { id, state: 'paid', version: 4, note: 'cash' } });
    expect(await read()).toMatchObject({ state: 'paid', version: 4, note: 'cash' });
  });

  it('writes null, and returns only what was asked for', async () => {
    const outcome = await guardedUpdate(database, {
      table,
      id: key(),
      set: { owner: null },
      returning: ['version', 'owner'],
    });
    expect(outcome).toEqual({ updated: true, row: { version: 4, owner: null } });
  });

  it('can leave the version alone, raise another one, or raise it and nothing else', async () => {
    await guardedUpdate(database, { table, id: key(), set: { note: 'a' }, versionColumn: null });
    expect(await read()).toMatchObject({ version: 3, note: 'a' });
    await guardedUpdate(database, { table, id: key(), set: {} });
    expect(await read()).toMatchObject({ version: 4 });
    await guardedUpdate(database, { table, id: key(), set: {}, versionColumn: 'price' });
    expect(await read()).toMatchObject({ version: 4, price: '2.50' });
  });

  it('refuses and names every mismatch, with the row as it is', async () => {
    const outcome = await guardedUpdate<Order>(database, {
      table,
      id: key(),
      expect: { state: 'paid', owner: null, note: null },
      set: { note: 'x' },
    });
    expect(outcome).toEqual({
      updated: false,
      reason: 'mismatch',
      mismatches: [
        { column: 'state', expected: 'paid', actual: 'new' },
        { column: 'owner', expected: null, actual: 'ann' },
      ],
      current: expect.objectContaining({ id, state: 'new', version: 3 }),
    });
    expect(await read()).toMatchObject({ version: 3, note: null });
  });

  it('tells the mismatch also when the column was not asked for, and adds no columns of its own', async () => {
    const outcome = await guardedUpdate(database, {
      table,
      id: key(),
      expect: { owner: 'bob' },
      set: { note: 'x' },
      returning: ['id'],
    });
    expect(outcome).toEqual({
      updated: false,
      reason: 'mismatch',
      mismatches: [{ column: 'owner', expected: 'bob', actual: 'ann' }],
      current: { id },
    });
  });

  it('says stale-version before anything else the row could be blamed for', async () => {
    const outcome = await guardedUpdate(database, {
      table,
      id: key(),
      expect: { state: 'paid', version: 2 },
      set: { note: 'x' },
    });
    expect(outcome).toMatchObject({ updated: false, reason: 'stale-version' });
    expect(outcome.updated ? [] : outcome.mismatches.map((one) => one.column)).toEqual(['state', 'version']);
  });

  it('says not-found', async () => {
    const outcome = await guardedUpdate(database, {
      table,
      id: { id, part: 2 },
      expect: { state: 'new' },
      set: { note: 'x' },
    });
    expect(outcome).toEqual({ updated: false, reason: 'not-found', mismatches: [] });
  });

  it('lets the database compare: numerics, times and JSON by their value', async () => {
    await database.query({
      text: `update ${quoted} set "at" = '2024-01-01T00:00:00Z', data = '{"a": 1, "b": 2}' where id = $1`,
      values: [id],
    });
    const expected = { price: '1.5', at: '2024-01-01T01:00:00+01:00', data: '{"b":2,"a":1}' };
    expect(await guardedUpdate(database, { table, id: key(), expect: expected, set: { note: 'x' } })).toMatchObject({
      updated: true,
    });
    const outcome = await guardedUpdate(database, {
      table,
      id: key(),
      expect: { ...expected, price: '1.51' },
      set: { note: 'y' },
    });
    expect(outcome).toMatchObject({ reason: 'mismatch', mismatches: [{ column: 'price' }] });
  });

  it('takes whatever a name or a value contains for a name or a value', async () => {
    const evil = `'; drop table ${quoted}; --`;
    expect(await guardedUpdate(database, { table, id: key(), set: { note: evil } })).toMatchObject({
      updated: true,
      row: { note: evil },
    });
    await expect(guardedUpdate(database, { table, id: key(), set: { 'note" = null; --': 1 } })).rejects.toThrow(
      /does not exist/,
    );
    expect(await read()).toMatchObject({ note: evil });
  });

  it('works in a transaction, and is rolled back with it', async () => {
    const undo = new Error('undo');
    const work = database.transaction(async (tx) => {
      expect(await guardedUpdate(tx, { table, id: key(), expect: { version: 3 }, set: { note: 'x' } })).toMatchObject({
        updated: true,
      });
      expect(await guardedUpdate(tx, { table, id: key(), expect: { version: 3 }, set: { note: 'y' } })).toMatchObject({
        reason: 'stale-version',
      });
      throw undo;
    });
    await expect(work).rejects.toBe(undo);
    expect(await read()).toMatchObject({ version: 3, note: null });
  });

  it('tells when the id was no key', async () => {
    await database.query({
      text: `insert into ${quoted} (id, part, state, version) values ($1, 2, 'new', 1)`,
      values: [id],
    });
    const work = database.transaction((tx) => guardedUpdate(tx, { table, id: { id }, set: { note: 'x' } }));
    await expect(work).rejects.toThrow(/The id \(id\) of Order "items" names 2 rows/);
    expect(await read()).toMatchObject({ note: null });
  });

  describe('with a transition', () => {
    const move = (from: 'new' | 'paid' | 'sent', to: 'new' | 'paid' | 'sent', on: SqlExecutor = database) =>
      guardedUpdate(on, { table, id: key(), set: { note: 'moved' }, transition: { table: orders, from, to } });

    it('moves along the table', async () => {
      expect(await move('new', 'paid')).toMatchObject({
        updated: true,
        row: { state: 'paid', version: 4, note: 'moved' },
      });
      expect(await move('new', 'paid')).toMatchObject({
        updated: false,
        reason: 'wrong-state',
        mismatches: [{ column: 'state', expected: 'new', actual: 'paid' }],
      });
    });

    it('refuses an undeclared move before anything is sent', async () => {
      const sent: SqlStatement[] = [];
      const silent: SqlExecutor = {
        query: async (statement) => {
          sent.push(statement);
          return { rows: [], rowCount: 0 };
        },
      };
      expect(await move('new', 'sent', silent)).toEqual({ updated: false, reason: 'undeclared', mismatches: [] });
      expect(await move('sent', 'new', silent)).toMatchObject({ reason: 'undeclared' });
      expect(sent).toEqual([]);
    });

    it('reads the state from the column it is told', async () => {
      const outcome = await guardedUpdate(database, {
        table,
        id: key(),
        set: {},
        transition: { table: orders, column: 'note', from: 'new', to: 'paid' },
      });
      expect(outcome).toMatchObject({ reason: 'wrong-state', mismatches: [{ column: 'note', actual: null }] });
    });
  });

  describe('with a fence', () => {
    const write = (token: number, on: SqlExecutor = database) =>
      guardedUpdate(on, {
        table,
        id: key(),
        expect: { state: 'new' },
        set: { note: `by ${token}` },
        fence: { resource: `order/${id}`, token },
      });

    it('lets only the token pass that stands at the fence', async () => {
      expect(await write(7)).toMatchObject({ updated: false, reason: 'unclaimed' });
      await setFence(7);
      expect(await write(7)).toMatchObject({ updated: true, row: { note: 'by 7' } });
      await setFence(8);
      expect(await write(7)).toMatchObject({ updated: false, reason: 'stale-token', mismatches: [] });
      expect(await write(9)).toMatchObject({ updated: false, reason: 'unclaimed' });
      expect(await read()).toMatchObject({ note: 'by 7', version: 4 });
    });

    it('names the lost right before the mismatch', async () => {
      await setFence(8);
      await database.query({ text: `update ${quoted} set state = 'paid' where id = $1`, values: [id] });
      expect(await write(7)).toMatchObject({ reason: 'stale-token', mismatches: [{ column: 'state' }] });
      expect(await write(8)).toMatchObject({ reason: 'mismatch' });
    });

    it('takes the fences of another schema', async () => {
      await database.query({
        text: 'create table if not exists shop.fences (resource text primary key, token bigint not null)',
      });
      await database.query({ text: 'insert into shop.fences values ($1, 5)', values: [`order/${id}`] });
      const fence = { resource: `order/${id}`, token: 5, schema: 'shop' };
      expect(await guardedUpdate(database, { table, id: key(), set: { note: 'x' }, fence })).toMatchObject({
        updated: true,
      });
    });

    // PGlite has one connection: nobody can wait there.
    if (engine !== 'PGlite')
      it('a raise waits for a write under way; a write that waits for a raise is refused', async () => {
        await setFence(7);
        let raised = false;
        let raising: Promise<unknown> | undefined;
        await database.transaction(async (tx) => {
          expect(await write(7, tx)).toMatchObject({ updated: true });
          raising = setFence(8).then(() => {
            raised = true;
          });
          await isWaiting();
          expect(raised).toBe(false);
        });
        await raising;
        expect(raised).toBe(true);

        let writing: Promise<unknown> | undefined;
        await database.transaction(async (tx) => {
          await tx.query({ text: 'update kannuki.fences set token = 9 where resource = $1', values: [`order/${id}`] });
          writing = write(8);
          await isWaiting();
        });
        expect(await writing).toMatchObject({ updated: false, reason: 'stale-token' });
        expect(await read()).toMatchObject({ note: 'by 7', version: 4 });
      });
  });

  if (engine !== 'PGlite')
    it('50 writers at once: one winner per version, no update lost', async () => {
      const increment = async (): Promise<number> => {
        for (let refused = 0; ; refused++) {
          const row = await read();
          const outcome = await guardedUpdate(database, {
            table,
            id: key(),
            expect: { version: row?.version },
            set: { note: String(Number(row?.note ?? 0) + 1) },
          });
          if (outcome.updated) return refused;
          expect(outcome.reason).toBe('stale-version');
        }
      };
      const refusals = await Promise.all(Array.from({ length: 50 }, increment));
      expect(await read()).toMatchObject({ version: 53, note: '50' });
      // Otherwise they did not meet.
      expect(Math.max(...refusals)).toBeGreaterThan(0);
    });

  /** The server tells nobody that a statement waits; it has to be asked. */
  async function isWaiting(): Promise<void> {
    for (;;) {
      const { rows } = await database.query({
        text: `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%fences%'`,
      });
      if (rows.length > 0) return;
    }
  }
});

describe('guardedUpdate refuses before anything is sent', () => {
  const nobody: SqlExecutor = { query: () => Promise.reject(new Error('something was sent')) };
  const base = { table: { name: 't' }, id: { id: 1 }, set: { a: 1 } };

  it.each([
    ['no id', { ...base, id: {} }, /must name the row by its id/],
    ['an id of null', { ...base, id: { id: null } }, /"id" of t is null, which names no row/],
    ['undefined in the id', { ...base, id: { id: undefined } }, /"id" is undefined; use null, or leave it out/],
    ['undefined in set', { ...base, set: { a: undefined } }, /"a" is undefined/],
    ['undefined in expect', { ...base, expect: { a: undefined } }, /"a" is undefined/],
    ['nothing to set', { ...base, set: {}, versionColumn: null }, /sets nothing/],
    ['the version in set', { ...base, set: { version: 1 } }, /"version" is raised by the update itself/],
    ['an empty returning', { ...base, returning: [] }, /at least one column/],
    ['an empty table name', { ...base, table: { name: '' } }, /The table "" must be a name of 1 to 63 bytes/],
    ['a name that would be cut', { ...base, set: { ['ä'.repeat(32)]: 1 } }, /must be a name of 1 to 63 bytes/],
    ['a NUL in a name', { ...base, set: { 'a\u0000': 1 } }, /without control characters/],
    [
      'a schema that is no text',
      { ...base, table: { schema: 7 as unknown as string, name: 't' } },
      /The schema 7 must be a name/,
    ],
    [
      'a token that is no whole number',
      { ...base, fence: { resource: 'r', token: Number.NaN } },
      /token of the fence "r" must be a whole number/,
    ],
    [
      'the state given twice',
      { ...base, expect: { state: 'new' }, transition: { table: orders, from: 'new', to: 'paid' } as const },
      /transition writes "state" itself/,
    ],
  ])('%s', async (_, request, message) => {
    await expect(guardedUpdate(nobody, request)).rejects.toThrow(message);
    await expect(guardedUpdate(nobody, request)).rejects.toMatchObject({ code: 'invalid-argument' });
  });

  it('says mismatch without mismatches when the row fits again by the time it is read', async () => {
    const replies = [[], [{ id: 1, 'kannuki:holds:0': true, 'kannuki:actual:0': 'new' }]];
    const executor: SqlExecutor = { query: async () => ({ rows: (replies.shift() ?? []) as never[], rowCount: 0 }) };
    expect(await guardedUpdate(executor, { ...base, expect: { state: 'new' } })).toEqual({
      updated: false,
      reason: 'mismatch',
      mismatches: [],
      current: { id: 1 },
    });
  });
});
