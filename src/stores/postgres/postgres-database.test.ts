/** Errors, broken connections and transactions whose commit is lost, on a real server. */
import { connect, createServer, type Server, type Socket } from 'node:net';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPostgres } from '../../../test/servers/postgres-server.ts';
import { migrate } from '../../engine/migrate.ts';
import { leaseMigrations } from '../../sql/lease-migrations.ts';
import { type PostgresDatabase, postgresDatabase, postgresStore } from './index.ts';

let server: Awaited<ReturnType<typeof startPostgres>>;
let database: PostgresDatabase;

beforeAll(async () => {
  server = await startPostgres({ major: 18 });
  database = postgresDatabase({ connectionString: server.url });
  await migrate(database, [leaseMigrations]);
  await database.query({ text: 'create table public.orders (id int primary key, state text)' });
});

afterAll(async () => {
  await database?.close();
  await server?.stop();
});

describe('postgresDatabase', () => {
  it('gives bigint as an exact number, or an error, and leaves the application its own parsers', async () => {
    const text = 'select 9007199254740991::bigint as n, array[1, null]::bigint[] as list';
    expect((await database.query({ text })).rows).toEqual([{ n: Number.MAX_SAFE_INTEGER, list: [1, null] }]);
    await expect(database.query({ text: 'select 9007199254740993::bigint' })).rejects.toMatchObject({
      code: 'store-corrupt',
    });
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    expect((await client.query('select 1::bigint as n')).rows).toEqual([{ n: '1' }]);
    await client.end();
  });

  it('gives the same rows for a prepared statement, the first time and later', async () => {
    const own = postgresDatabase({ connectionString: server.url, max: 1, listen: false });
    const text = `select $1::bigint as n, $2::text as t, $3::boolean as yes, $4::json as json, array['a'] as list, x
                  from generate_series(1, $5::int) x`;
    const rows = (t: string | null): readonly unknown[] =>
      [1, 2].map((x) => ({ n: 7, t, yes: true, json: { a: [1] }, list: ['a'], x }));
    for (const t of ['ö', null, '']) {
      const result = await own.query({ name: 'rows', text, values: [7, t, true, '{"a":[1]}', 2] });
      expect(result).toMatchObject({ rows: rows(t), rowCount: 2 });
      const none = await own.query({ name: 'rows', text, values: [7, t, true, '{}', 0] });
      expect(none).toMatchObject({ rows: [], rowCount: 0 });
    }
    // An array is converted by the driver, under the same name.
    const list = { name: 'list', text: 'select cardinality($1::text[]) as n' };
    expect((await own.query({ ...list, values: [['a', 'b']] })).rows).toEqual([{ n: 2 }]);
    expect((await own.query({ ...list, values: ['{a}'] })).rows).toEqual([{ n: 1 }]);
    await own.close();
  });

  it('goes on after a prepared statement that failed, or that returns nothing', async () => {
    const own = postgresDatabase({ connectionString: server.url, max: 1, listen: false });
    const divide = (by: number): Promise<unknown> =>
      own.query({ name: 'divide', text: 'select 8 / $1::int as n', values: [by] }).then((result) => result.rows);
    await expect(divide(0)).rejects.toMatchObject({ code: '22012' });
    expect(await divide(2)).toEqual([{ n: 4 }]);
    await expect(divide(0)).rejects.toMatchObject({ code: '22012' });
    expect(await divide(4)).toEqual([{ n: 2 }]);
    const big = (n: string): Promise<unknown> =>
      own.query({ name: 'big', text: 'select $1::bigint as n', values: [n] });
    expect(await big('1')).toMatchObject({ rows: [{ n: 1 }] });
    await expect(big('9007199254740993')).rejects.toMatchObject({ code: 'store-corrupt' });
    expect(await big('2')).toMatchObject({ rows: [{ n: 2 }] });
    const touch = { name: 'touch', text: 'update public.orders set state = state where id = $1', values: [-1] };
    expect(await own.query(touch)).toMatchObject({ rows: [], rowCount: 0 });
    expect(await own.query(touch)).toMatchObject({ rows: [], rowCount: 0 });
    await expect(own.query({ name: 'divide', text: 'select 1 as other', values: [] })).rejects.toThrow('divide');
    await own.close();
  });

  it('passes constraint errors on as they are', async () => {
    await database.query({ text: 'insert into public.orders values (100)' });
    await expect(database.query({ text: 'insert into public.orders values (100)' })).rejects.toMatchObject({
      code: '23505',
      constraint: 'orders_pkey',
    });
  });

  it.each([
    ['a wrong password', (url: URL) => Object.assign(url, { password: 'wrong' }), 'password'],
    ['no password', (url: URL) => Object.assign(url, { password: '' }), 'password'],
    ['a missing database', (url: URL) => Object.assign(url, { pathname: '/nowhere' }), 'create the database'],
  ])('refuses %s with advice', async (_what, change, advice) => {
    const other = postgresDatabase({ connectionString: change(new URL(server.url)).href });
    const refusal = { code: 'store-refused', retryable: false, message: expect.stringContaining(advice) };
    await expect(other.query({ text: 'select 1' })).rejects.toMatchObject(refusal);
    await expect(other.transaction(async () => 1)).rejects.toMatchObject(refusal);
    await expect(other.listen('c', () => {})).rejects.toMatchObject(refusal);
    await other.close();
  });

  it('tells a server that is not there as unavailable', async () => {
    const other = postgresDatabase({ connectionString: 'postgres://a@127.0.0.1:1/b' });
    await expect(other.query({ text: 'select 1' })).rejects.toMatchObject({
      code: 'store-unavailable',
      retryable: true,
      message: expect.stringMatching(/^PostgreSQL at 127\.0\.0\.1:1\/b did not answer/),
    });
    await other.close();
  });

  it('tells missing tables of ours apart from those of the user', async () => {
    const empty = postgresDatabase({ connectionString: server.url, schema: 'empty' });
    const acquired = postgresStore({ database: empty }).acquire({ key: 'k', owner: 'p.1@x', ttlMs: 1000, line: true });
    await expect(acquired).rejects.toMatchObject({
      code: 'store-refused',
      message: expect.stringContaining('npx kannuki migrate'),
    });
    await expect(empty.query({ text: 'select * from public.missing' })).rejects.toMatchObject({ code: '42P01' });
    await empty.close();
  });

  it('tells missing rights', async () => {
    await database.query({ text: `create role guest login password 'guest'` });
    const url = Object.assign(new URL(server.url), { username: 'guest', password: 'guest' });
    const guest = postgresDatabase({ connectionString: url.href });
    const acquired = postgresStore({ database: guest }).acquire({ key: 'k', owner: 'p.1@x', ttlMs: 1000, line: true });
    await expect(acquired).rejects.toMatchObject({ code: 'store-refused', message: expect.stringContaining('rights') });
    await guest.close();
  });

  it('works without prepared names', async () => {
    const bare = postgresDatabase({ connectionString: server.url, prepare: false, max: 1 });
    const store = postgresStore({ database: bare });
    expect(await store.acquire({ key: 'bare', owner: 'p.1@x', ttlMs: 1000, line: true })).toMatchObject({
      granted: true,
    });
    expect((await bare.query({ text: 'select name from pg_prepared_statements' })).rows).toEqual([]);
    await bare.close();
  });

  it('uses a pool of the application and leaves it open', async () => {
    const pool = new pg.Pool({ connectionString: server.url, max: 2 });
    const own = postgresDatabase({ pool });
    expect((await own.query({ text: 'select 1 as n' })).rows).toEqual([{ n: 1 }]);
    expect(pool.idleCount).toBe(1);
    await own.close();
    expect((await pool.query('select 1 as n')).rows).toEqual([{ n: 1 }]);
    expect(pool.listenerCount('error')).toBe(0);
    await pool.end();
  });

  it('says when it was closed', async () => {
    const own = postgresDatabase({ connectionString: server.url });
    await own.close();
    await own.close();
    const closed = { code: 'closed' };
    await expect(own.query({ text: 'select 1' })).rejects.toMatchObject(closed);
    await expect(own.transaction(async () => 1)).rejects.toMatchObject(closed);
    await expect(own.listen('c', () => {})).rejects.toMatchObject(closed);
  });
});

describe('transactions', () => {
  it('roll back what throws, and hand the error on', async () => {
    const failed = database.transaction(async (tx) => {
      await tx.query({ text: 'insert into public.orders values (1)' });
      throw new Error('mine');
    });
    await expect(failed).rejects.toThrow('mine');
    expect((await database.query({ text: 'select from public.orders where id = 1' })).rowCount).toBe(0);
  });

  it('say so when a swallowed error undid them', async () => {
    const swallowed = database.transaction((tx) => tx.query({ text: 'select 1 / 0' }).catch(() => undefined));
    await expect(swallowed).rejects.toMatchObject({
      code: 'store-refused',
      message: expect.stringContaining('rolled back'),
    });
  });

  it('take statements sent at once in order, and none after their end', async () => {
    const tx = await database.transaction(async (handle) => {
      const results = await Promise.all(
        [1, 2, 3].map((n) => handle.query({ text: 'select $1::int as n', values: [n] })),
      );
      expect(results.map((result) => result.rows[0]?.n)).toEqual([1, 2, 3]);
      return handle;
    });
    await expect(tx.query({ text: 'select 1' })).rejects.toMatchObject({ code: 'closed' });
  });

  it('that a session leaves open are not handed to the next user', async () => {
    const own = postgresDatabase({ connectionString: server.url, max: 1, listen: false });
    await own.session(async (connection) => {
      await connection.query({ text: 'begin' });
      await connection.query({ text: `set local application_name = 'left open'` });
    });
    expect((await own.query({ text: 'show application_name' })).rows).toEqual([{ application_name: 'kannuki' }]);
    await own.close();
  });

  it('tell an unknown outcome when the connection breaks at commit', async () => {
    const cut = await startCuttingProxy(server.port, 'commit\0');
    const url = Object.assign(new URL(server.url), { port: `${cut.port}` });
    const own = postgresDatabase({ connectionString: url.href, listen: false });
    const lost = own.transaction((tx) => tx.query({ text: 'insert into public.orders values (2)' }));
    await expect(lost).rejects.toMatchObject({
      code: 'store-unavailable',
      retryable: true,
      message: expect.stringContaining('outcome of the transaction is unknown'),
    });
    await own.close();
    await cut.close();
  });
});

describe('broken connections', () => {
  it('fail the statement under way, and the next one gets a new connection', async () => {
    const own = postgresDatabase({ connectionString: server.url, max: 1 });
    await expect(own.query({ text: 'select pg_terminate_backend(pg_backend_pid())' })).rejects.toMatchObject({
      code: 'store-unavailable',
      retryable: true,
    });
    expect((await own.query({ text: 'select 1 as n' })).rows).toEqual([{ n: 1 }]);
    await own.close();
  });

  it('are noticed while they lie idle', async () => {
    const own = postgresDatabase({ connectionString: server.url, max: 1, listen: false });
    const { rows } = await own.query<{ pid: number }>({ text: 'select pg_backend_pid() as pid' });
    await database.query({ text: 'select pg_terminate_backend($1, 5000)', values: [rows[0]?.pid] });
    // The end of the connection and our statement may cross; only the first statement may notice.
    await own.query({ text: 'select 1' }).catch(() => undefined);
    expect((await own.query({ text: 'select 1 as n' })).rows).toEqual([{ n: 1 }]);
    await own.close();
  });

  it('end a subscription, and the next one hears again', async () => {
    const own = postgresDatabase({ connectionString: server.url });
    const heard: string[] = [];
    const first = await own.listen('breaks', (payload) => heard.push(payload));
    expect(first.isLive()).toBe(true);
    const pid = await own.renewals.query<{ pid: number }>({ text: 'select pg_backend_pid() as pid' });
    await expect(own.renewals.query({ text: 'select pg_terminate_backend(pg_backend_pid())' })).rejects.toMatchObject({
      code: 'store-unavailable',
    });
    expect(first.isLive()).toBe(false);
    // Renewals go on through the pool.
    expect((await own.renewals.query({ text: 'select 1 as n' })).rows).toEqual([{ n: 1 }]);
    const second = await own.listen('breaks', (payload) => heard.push(payload));
    expect((await own.renewals.query<{ pid: number }>({ text: 'select pg_backend_pid() as pid' })).rows).not.toEqual(
      pid.rows,
    );
    await own.renewals.query({ text: `notify breaks, 'hello'` });
    expect(heard).toEqual(['hello']);
    await first.close();
    await second.close();
    await own.close();
  });

  it('to a frozen server do not hold up a close', async () => {
    const own = postgresDatabase({ connectionString: server.url });
    await own.listen('frozen', () => {});
    await own.query({ text: 'select 1' });
    await server.pause();
    try {
      const hanging = own.query({ text: 'select 1' });
      const told = expect(hanging).rejects.toMatchObject({ code: 'store-unavailable' });
      await own.close();
      await told;
    } finally {
      await server.resume();
    }
  });

  it('are given up after the time limit of a statement', async () => {
    const own = postgresDatabase({ connectionString: server.url, max: 1, listen: false, queryTimeoutMs: 200 });
    await expect(own.query({ text: 'select pg_sleep(60)' })).rejects.toMatchObject({
      code: 'store-unavailable',
      retryable: true,
    });
    expect((await own.query({ text: 'select 1 as n' })).rows).toEqual([{ n: 1 }]);
    await own.close();
  });
});

/** Passes everything on until the client says `word`; then it cuts both ends without a word. */
async function startCuttingProxy(target: number, word: string): Promise<{ port: number; close(): Promise<void> }> {
  const proxy: Server = createServer((client: Socket) => {
    const upstream = connect(target, '127.0.0.1');
    const ignore = (): void => {};
    client.on('error', ignore);
    upstream.on('error', ignore);
    upstream.pipe(client);
    client.on('data', (data) => {
      if (data.includes(word)) {
        client.destroy();
        upstream.destroy();
      } else upstream.write(data);
    });
    client.on('close', () => upstream.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const address = proxy.address();
  if (typeof address !== 'object' || !address) throw new Error('no port');
  return { port: address.port, close: () => new Promise((resolve) => proxy.close(() => resolve())) };
}
