import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SqlDatabase } from '../../core/ports.ts';
import { pgliteDatabase } from './pglite-database.ts';

describe('pgliteDatabase in memory', () => {
  let database: SqlDatabase;

  beforeAll(async () => {
    database = pgliteDatabase({ dir: 'memory' });
    await database.query({ text: 'create table numbers (n bigint)' });
  });

  afterAll(() => database.close());

  it('gives bigint as an exact number, or an error', async () => {
    const exact = await database.query({ text: 'select 9007199254740991::bigint as n' });
    expect(exact.rows).toEqual([{ n: Number.MAX_SAFE_INTEGER }]);
    await expect(database.query({ text: 'select 9007199254740993::bigint as n' })).rejects.toMatchObject({
      code: 'store-corrupt',
    });
  });

  it('counts rows that were changed without being returned', async () => {
    expect(await database.query({ text: 'insert into numbers values ($1), ($2)', values: [1, 2] })).toMatchObject({
      rowCount: 2,
    });
  });

  it('rolls back what throws', async () => {
    const failed = database.transaction(async (tx) => {
      await tx.query({ text: 'insert into numbers values (99)' });
      throw new Error('mine');
    });
    await expect(failed).rejects.toThrow('mine');
    expect((await database.query({ text: 'select from numbers where n = 99' })).rowCount).toBe(0);
  });

  it('says so when a swallowed error undid the transaction', async () => {
    const swallowed = database.transaction((tx) => tx.query({ text: 'select 1 / 0' }).catch(() => undefined));
    await expect(swallowed).rejects.toMatchObject({ code: 'store-refused' });
  });

  it('refuses the outer handle inside a transaction or session instead of hanging', async () => {
    const refused = expect.objectContaining({ code: 'reentry' });
    await expect(database.transaction(() => database.query({ text: 'select 1' }))).rejects.toEqual(refused);
    await expect(database.transaction(() => database.transaction(async () => 1))).rejects.toEqual(refused);
    await expect(database.transaction(() => database.listen('c', () => {}))).rejects.toEqual(refused);
    await expect(database.session(() => database.query({ text: 'select 1' }))).rejects.toEqual(refused);
    expect((await database.query({ text: 'select 1' })).rowCount).toBe(1);
  });

  it('lets work begun inside a transaction go on after its end', async () => {
    const { promise: ended, hear: end } = heard();
    let later: Promise<unknown> = Promise.resolve();
    await database.transaction(async () => {
      later = ended.then(() => database.query({ text: 'select 1' }));
    });
    end('');
    await expect(later).resolves.toMatchObject({ rowCount: 1 });
  });

  it('refuses a handle whose transaction is over', async () => {
    const tx = await database.transaction(async (handle) => handle);
    await expect(tx.query({ text: 'select 1' })).rejects.toMatchObject({ code: 'closed' });
  });

  it('lets a session have the connection for itself', async () => {
    const order: string[] = [];
    const session = database.session(async (connection) => {
      await connection.query({ text: 'select 1' });
      order.push('session 1');
      await connection.query({ text: 'select 2' });
      order.push('session 2');
    });
    const outside = database.query({ text: 'select 3' }).then(() => order.push('outside'));
    await Promise.all([session, outside]);
    expect(order).toEqual(['session 1', 'session 2', 'outside']);
  });

  it('hears notifications of its own process', async () => {
    const { promise, hear } = heard();
    const subscription = await database.listen('kannuki_Ab', hear);
    await database.query({ text: `select pg_notify('kannuki_Ab', 'hello')` });
    expect(await promise).toBe('hello');
    expect(subscription.isLive()).toBe(true);
    await subscription.close();
    expect(subscription.isLive()).toBe(false);
  });

  it('explains a missing table of ours', async () => {
    await expect(database.query({ text: 'select * from kannuki.leases' })).rejects.toMatchObject({
      code: 'store-refused',
      message: expect.stringContaining('migrate'),
    });
  });
});

describe('pgliteDatabase in a folder', () => {
  it('keeps rows over a restart, and refuses a second opener by naming the first', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'kannuki-pglite-'));
    const first = pgliteDatabase({ dir });
    const second = pgliteDatabase({ dir });
    try {
      await first.query({ text: 'create table kept as select 7 as n' });
      await expect(second.query({ text: 'select 1' })).rejects.toMatchObject({
        code: 'in-use',
        message: expect.stringContaining(`${process.pid}`),
      });
      await first.close();
      expect((await second.query({ text: 'select n from kept' })).rows).toEqual([{ n: 7 }]);
    } finally {
      await first.close();
      await second.close();
      rmSync(dir, { recursive: true, force: true });
    }
  }, 60_000);

  it('says when it was closed', async () => {
    const database = pgliteDatabase({ dir: 'memory' });
    await database.close();
    await expect(database.query({ text: 'select 1' })).rejects.toMatchObject({ code: 'closed' });
  });
});

function heard(): { readonly promise: Promise<string>; hear(payload: string): void } {
  let hear: (payload: string) => void = () => {};
  const promise = new Promise<string>((resolve) => {
    hear = resolve;
  });
  return { promise, hear: (payload) => hear(payload) };
}
