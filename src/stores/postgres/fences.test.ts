/** Fenced statements against a raise of the fence, each in a transaction of its own, on a real server. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPostgres } from '../../../test/servers/postgres-server.ts';
import { migrate } from '../../engine/migrate.ts';
import { leaseMigrations } from '../../sql/lease-migrations.ts';
import { fencedStatement, type PostgresDatabase, postgresDatabase, postgresStore } from './index.ts';

let server: Awaited<ReturnType<typeof startPostgres>>;
let database: PostgresDatabase;

beforeAll(async () => {
  server = await startPostgres({ major: 15 });
  database = postgresDatabase({ connectionString: server.url });
  await migrate(database, [leaseMigrations]);
  await database.query({ text: 'create table public.orders (id int primary key, state text)' });
});

afterAll(async () => {
  await database?.close();
  await server?.stop();
});

describe('fencedStatement', () => {
  const lease = (token: number): { token: number; isHeld(): boolean } => ({ token, isHeld: () => true });
  const pay = (token: number, state: string): ReturnType<typeof fencedStatement> =>
    fencedStatement(
      { lease: lease(token), resource: 'orders/7' },
      { text: 'update public.orders set state = $1 from kannuki_fence where id = 7', values: [state] },
    );

  it('changes something only for the newest holder that has claimed', async () => {
    const store = postgresStore({ database });
    await database.query({ text: `insert into public.orders values (7, 'new')` });
    expect((await database.query(pay(10, 'unclaimed'))).rowCount).toBe(0);
    await store.claim({ resource: 'orders/7', token: 10 });
    expect((await database.query(pay(10, 'first'))).rowCount).toBe(1);
    await store.claim({ resource: 'orders/7', token: 11 });
    expect((await database.query(pay(10, 'late'))).rowCount).toBe(0);
    expect((await database.query(pay(11, 'second'))).rowCount).toBe(1);
    expect(await store.claim({ resource: 'orders/7', token: 10 })).toEqual({ claimed: false, token: 11 });
    expect((await database.query({ text: 'select state from public.orders where id = 7' })).rows).toEqual([
      { state: 'second' },
    ]);
  });

  it('makes a new holder wait for the statement under way, and a renewal wait for nothing', async () => {
    const store = postgresStore({ database });
    const resource = 'orders/8';
    const owner = 'p.1@x';
    const grant = await store.acquire({ key: resource, owner, ttlMs: 60_000, line: true });
    if (!grant.granted) throw new Error('refused');
    await database.query({ text: `insert into public.orders values (8, 'new')` });
    await store.claim({ resource, token: grant.token });
    const order: string[] = [];
    let claim: Promise<unknown> = Promise.resolve();
    await database.transaction(async (tx) => {
      const text = 'update public.orders set state = $1 from kannuki_fence where id = 8';
      await tx.query(fencedStatement({ lease: lease(grant.token), resource }, { text, values: ['old'] }));
      claim = store.claim({ resource, token: grant.lastToken + 1 }).then(() => order.push('claimed'));
      await waitForBlocked(1);
      const renewed = await store.renew([{ key: resource, owner, token: grant.lastToken, ttlMs: 60_000 }]);
      expect(renewed).toEqual([true]);
      order.push('committing');
    });
    await claim;
    expect(order).toEqual(['committing', 'claimed']);
  });

  it('waits for a raise under way, and then changes nothing', async () => {
    const store = postgresStore({ database });
    const resource = 'orders/9';
    await database.query({ text: `insert into public.orders values (9, 'new')` });
    await store.claim({ resource, token: 1 });
    let late: Promise<number> = Promise.resolve(-1);
    await database.transaction(async (tx) => {
      await tx.query({ text: 'update kannuki.fences set token = 2 where resource = $1', values: [resource] });
      const text = 'update public.orders set state = $1 from kannuki_fence where id = 9';
      late = database
        .query(fencedStatement({ lease: lease(1), resource }, { text, values: ['late'] }))
        .then((result) => result.rowCount);
      await waitForBlocked(1);
    });
    expect(await late).toBe(0);
  });

  async function waitForBlocked(count: number): Promise<void> {
    for (;;) {
      const { rows } = await database.query<{ n: number }>({
        text: `select count(*) as n from pg_stat_activity where wait_event_type = 'Lock' and cardinality(pg_blocking_pids(pid)) > 0`,
      });
      if ((rows[0]?.n ?? 0) >= count) return;
    }
  }
});
