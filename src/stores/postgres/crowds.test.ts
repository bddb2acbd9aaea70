/** Many connections at once on one key: row locks decide, which PGlite with its one connection cannot show. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPostgres } from '../../../test/servers/postgres-server.ts';
import type { LeaseStore, Share } from '../../core/ports.ts';
import { migrate } from '../../engine/migrate.ts';
import { leaseMigrations } from '../../sql/lease-migrations.ts';
import { manyLeases } from '../../sql/renew-leases.ts';
import { type PostgresDatabase, postgresDatabase, postgresStore } from './index.ts';

const ttlMs = 60_000;
const acceptMs = 30_000;

describe.each([18, 15] as const)('crowds on PostgreSQL %i', (major) => {
  let server: Awaited<ReturnType<typeof startPostgres>>;
  let database: PostgresDatabase;
  let store: LeaseStore;
  let keys = 0;
  const newKey = (): string => `key ${keys++}`;

  beforeAll(async () => {
    server = await startPostgres({ major });
    database = postgresDatabase({ connectionString: server.url });
    store = postgresStore({ database });
    await migrate(database, [leaseMigrations]);
  });

  afterAll(async () => {
    await database?.close();
    await server?.stop();
  });

  it('grants to exactly one of fifty who try at once', async () => {
    for (const line of [false, true]) {
      const key = newKey();
      const replies = await Promise.all(
        Array.from({ length: 50 }, (_, i) => store.acquire({ key, owner: `p${i}.1@x`, ttlMs, line })),
      );
      expect(replies.filter((reply) => reply.granted)).toHaveLength(1);
      expect(replies.filter((reply) => !reply.granted && reply.inLine)).toHaveLength(line ? 49 : 0);
    }
  });

  it('keeps a crowd of sharers within their capacity, and passes every share on', async () => {
    const key = newKey();
    const share: Share = { weight: 1, capacity: 3 };
    const waiting = new Map<string, (token: number) => void>();
    const subscription = await store.subscribe('p1', (n) => {
      if (n.kind === 'granted') waiting.get(n.owner)?.(n.lastToken);
    });
    let inside = 0;
    let most = 0;
    const visit = async (owner: string): Promise<void> => {
      const told = new Promise<number>((resolve) => waiting.set(owner, resolve));
      const reply = await store.acquire({ key, owner, ttlMs, line: true, share });
      const token = reply.granted ? reply.lastToken : await told;
      inside += 1;
      most = Math.max(most, inside);
      await database.query({ text: 'select 1' });
      inside -= 1;
      expect(await store.release({ key, owner, token, acceptMs, share })).toBe(true);
    };
    await Promise.all(Array.from({ length: 40 }, (_, i) => visit(`p1.${i}@x`)));
    expect(most).toBeLessThanOrEqual(3);
    expect(most).toBeGreaterThan(1);
    expect(await store.list({ prefix: key, limit: 9 })).toEqual([]);
    await subscription.close();
  });

  it('takes several keys without deadlock while they are renewed in any order', async () => {
    const [a, b, c] = [newKey(), newKey(), newKey()].sort();
    if (!a || !b || !c) throw new Error('no keys');
    let granted = 0;
    const work = async (owner: string, keys: readonly string[]): Promise<void> => {
      for (let round = 0; round < 15; round++) {
        const reply = await store.acquireAll({ keys, owner: `${owner}.${round}@x`, ttlMs });
        if (!reply.granted) continue;
        granted += 1;
        const grants = reply.tokens.map(({ key, lastToken }) => ({
          key,
          owner: `${owner}.${round}@x`,
          token: lastToken,
        }));
        expect(await store.renew([...grants].reverse().map((grant) => ({ ...grant, ttlMs })))).toEqual(
          grants.map(() => true),
        );
        for (const grant of grants) expect(await store.release({ ...grant, acceptMs })).toBe(true);
      }
    };
    await Promise.all([work('p1', [a, b]), work('p2', [b, c]), work('p3', [a, c]), work('p4', [a, b, c])]);
    expect(granted).toBeGreaterThan(0);
    expect(
      await store.list({ prefix: 'key', limit: 1000 }).then((all) => all.filter(({ key }) => [a, b, c].includes(key))),
    ).toEqual([]);
  });

  it('renews hundreds at once while others stand in line for them and one row is locked; says only what is so', async () => {
    const owned = await Promise.all(
      Array.from({ length: manyLeases + 50 }, async (_, i) => {
        const [key, owner] = [newKey(), `p1.${i}@x`];
        const reply = await store.acquire({ key, owner, ttlMs, line: true });
        if (!reply.granted) throw new Error('A free lease was not granted.');
        return { key, owner, token: reply.lastToken, ttlMs: 3_600_000 };
      }),
    );
    const [lost, locked, ...rest] = owned;
    if (!lost || !locked) throw new Error('no leases');
    expect(await store.release({ ...lost, acceptMs })).toBe(true);
    const visitors = Array.from({ length: 40 }, (_, i) => ({ key: rest[i * 2]?.key ?? '', owner: `p2.${i}@x`, ttlMs }));
    for (let round = 0; round < 10; round++) {
      const joined = Promise.all(visitors.map((visitor) => store.acquire({ ...visitor, line: true })));
      const left = joined.then(() => Promise.all(visitors.map((visitor) => store.leave(visitor))));
      expect(await store.renew(owned)).toEqual(owned.map((request) => request !== lost));
      await left;
    }
    const holding = await database.transaction(async (transaction) => {
      const text = `update kannuki.leases set queue = queue where key = $1`;
      await transaction.query({ text, values: [locked.key] });
      // Not awaited here: it ends only after this transaction.
      return { renewed: store.renew(owned) };
    });
    expect(await holding.renewed).toEqual(owned.map((request) => request !== lost));
    const { rows } = await database.query<{ early: number }>({
      text: `select count(*)::int as early from kannuki.leases
             where key = any($1::text[]) and expires_at < now() + interval '50 minutes'`,
      values: [owned.map(({ key }) => key)],
    });
    expect(rows).toEqual([{ early: 1 }]);
  });
});
