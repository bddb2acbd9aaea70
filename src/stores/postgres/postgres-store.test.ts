/** What only a real server shows: blocks and its clock, hand-over by notice, HOT updates, commit modes. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { platform } from '#platform';
import { startPostgres } from '../../../test/servers/postgres-server.ts';
import type { AcquireReply, LeaseStore, Notice, Share } from '../../core/ports.ts';
import { migrate } from '../../engine/migrate.ts';
import { leaseMigrations } from '../../sql/lease-migrations.ts';
import { type PostgresDatabase, postgresDatabase, postgresStore } from './index.ts';

const ttlMs = 60_000;
const acceptMs = 30_000;
const reader: Share = { weight: 1, capacity: 2 };

describe.each([18, 15] as const)('postgresStore on PostgreSQL %i', (major) => {
  let server: Awaited<ReturnType<typeof startPostgres>>;
  let database: PostgresDatabase;
  let store: LeaseStore;
  let keys = 0;
  const newKey = (): string => `key ${keys++}`;

  beforeAll(async () => {
    server = await startPostgres({ major });
    database = postgresDatabase({ connectionString: server.url });
    store = postgresStore({ database });
  });

  afterAll(async () => {
    await store?.close();
    await database?.close();
    await server?.stop();
  });

  it('is migrated once by five starters at once', async () => {
    const reports = await Promise.all(
      [1, 2, 3, 4, 5].map(async () => {
        const own = postgresDatabase({ connectionString: server.url, max: 1, listen: false });
        try {
          return await migrate(own, [leaseMigrations]);
        } finally {
          await own.close();
        }
      }),
    );
    expect(reports.flatMap((report) => report.applied)).toEqual([
      { system: 'leases', number: 1, name: expect.any(String) },
    ]);
  });

  it('reserves a block, and answers a repeated request with its last number', async () => {
    const key = newKey();
    const request = { key, owner: 'p1.1@x', ttlMs, line: true };
    const granted = expectGranted(await store.acquire(request));
    expect(granted.lastToken - granted.token).toBe(63);
    for (const line of [true, false]) {
      const again = expectGranted(await store.acquire({ ...request, line }));
      expect(again).toMatchObject({ token: granted.lastToken, lastToken: granted.lastToken });
    }
  });

  it('gives a single number while the last token is ahead of the clock', async () => {
    for (const line of [true, false]) {
      const key = newKey();
      const ahead = (platform.clock.wallMs() + 3_600_000) * 1000;
      await database.query({
        text: `insert into kannuki.leases (key, token, expires_at) values ($1, $2, now())`,
        values: [key, ahead],
      });
      const granted = expectGranted(await store.acquire({ key, owner: 'p1.1@x', ttlMs, line }));
      expect(granted).toMatchObject({ token: ahead + 1, lastToken: ahead + 1 });
    }
  });

  it('hands over a block, or a single number ahead of the clock, and tells only the heir', async () => {
    const key = newKey();
    const told: Notice[] = [];
    const subscriptions = await Promise.all(
      ['p1', 'p2'].map((process) => store.subscribe(process, (n) => told.push(n))),
    );
    const first = expectGranted(await store.acquire({ key, owner: 'p1.1@x', ttlMs, line: true }));
    await store.acquire({ key, owner: 'p2.1@x', ttlMs, line: true });
    await store.acquire({ key, owner: 'p2.2@x', ttlMs, line: true });
    await store.release({ key, owner: 'p1.1@x', token: first.lastToken, acceptMs });
    await waitUntil(() => told.length === 1);
    const [notice] = told;
    if (notice?.kind !== 'granted') throw new Error('not told');
    expect(notice).toMatchObject({ key, owner: 'p2.1@x', acceptMs });
    expect(notice.token).toBeGreaterThan(first.lastToken);
    expect(notice.lastToken - notice.token).toBe(63);
    expect(await store.renew([{ key, owner: 'p2.1@x', token: notice.lastToken, ttlMs }])).toEqual([true]);

    const ahead = (platform.clock.wallMs() + 3_600_000) * 1000;
    await database.query({ text: `update kannuki.leases set token = $2 where key = $1`, values: [key, ahead] });
    await store.release({ key, owner: 'p2.1@x', token: ahead, acceptMs });
    await waitUntil(() => told.length === 2);
    expect(told[1]).toMatchObject({ owner: 'p2.2@x', token: ahead + 1, lastToken: ahead + 1 });
    await Promise.all(subscriptions.map((subscription) => subscription.close()));
  });

  it('passes an exclusive lease on to as many sharers as fit, in the release itself', async () => {
    const key = newKey();
    const told: Notice[] = [];
    const subscription = await store.subscribe('p7', (n) => told.push(n));
    const first = expectGranted(await store.acquire({ key, owner: 'p1.1@x', ttlMs, line: true }));
    for (const owner of ['p7.1@x', 'p7.2@x', 'p7.3@x']) {
      await store.acquire({ key, owner, ttlMs, line: true, share: reader });
    }
    await store.release({ key, owner: 'p1.1@x', token: first.lastToken, acceptMs });
    await waitUntil(() => told.length === 2);
    expect(told).toMatchObject([{ owner: 'p7.1@x' }, { owner: 'p7.2@x' }]);
    expect(await store.list({ prefix: key, limit: 9 })).toMatchObject([
      { owner: 'p7.1@x', share: reader, waiting: 1 },
      { owner: 'p7.2@x', share: reader, waiting: 1 },
    ]);
    await subscription.close();
  });

  it('lets whoever asks first take an expired lease, exclusive or shared, and never revives it', async () => {
    for (const share of [undefined, reader]) {
      const key = newKey();
      const old = expectGranted(
        await store.acquire({ key, owner: 'p1.1@x', ttlMs, line: true, ...(share && { share }) }),
      );
      await store.acquire({ key, owner: 'p2.1@x', ttlMs, line: true });
      await expire(key);
      const grant = { key, owner: 'p1.1@x', token: old.lastToken, ...(share && { share }) };
      expect(await store.renew([{ ...grant, ttlMs }])).toEqual([false]);
      const next = expectGranted(await store.acquire({ key, owner: 'p3.1@x', ttlMs, line: true }));
      expect(next.token).toBeGreaterThan(old.lastToken);
      expect(await store.release({ ...grant, acceptMs })).toBe(false);
      expect(await store.explainLoss(grant)).toEqual({ kind: 'taken', holder: 'p3.1@x' });
      expect(await store.list({ prefix: key, limit: 9 })).toMatchObject([{ owner: 'p3.1@x', waiting: 1 }]);
    }
  });

  it('drops expired sharers when a new one comes, and keeps the living', async () => {
    const key = newKey();
    const ask = (owner: string): Promise<AcquireReply> =>
      store.acquire({ key, owner, ttlMs, line: false, share: reader });
    expectGranted(await ask('p1.1@x'));
    const living = expectGranted(await ask('p2.1@x'));
    expect(await ask('p3.1@x')).toMatchObject({ granted: false, holder: 'p1.1@x' });
    await database.query({
      text: `update kannuki.leases set holders = jsonb_set(holders, '{p1.1@x,3}', '1') where key = $1`,
      values: [key],
    });
    expectGranted(await ask('p3.1@x'));
    expect((await store.list({ prefix: key, limit: 9 })).map((info) => info.owner)).toEqual(['p2.1@x', 'p3.1@x']);
    const renewal = { key, ttlMs, share: reader };
    expect(
      await store.renew([
        { ...renewal, owner: 'p1.1@x', token: living.token },
        { ...renewal, owner: 'p2.1@x', token: living.token },
      ]),
    ).toEqual([false, true]);
  });

  it('renews each lease by its own TTL and never shortens', async () => {
    const [a, b] = [newKey(), newKey()];
    const [grantA, grantB] = [
      expectGranted(await store.acquire({ key: a, owner: 'p1.1@x', ttlMs, line: true })),
      expectGranted(await store.acquire({ key: b, owner: 'p1.2@x', ttlMs, line: true })),
    ];
    const renewed = await store.renew([
      { key: b, owner: 'p1.2@x', token: grantB.lastToken, ttlMs: 3_600_000 },
      { key: a, owner: 'p1.1@x', token: grantA.lastToken - 1, ttlMs: 3_600_000 },
      { key: a, owner: 'p1.1@x', token: grantA.lastToken, ttlMs: 50 },
      { key: a, owner: 'p1.1@x', token: grantA.lastToken, ttlMs: 50 },
    ]);
    expect(renewed).toEqual([true, false, true, true]);
    const [infoA, infoB] = [await store.list({ prefix: a, limit: 1 }), await store.list({ prefix: b, limit: 1 })];
    expect(infoA[0]?.remainingMs).toBeGreaterThan(ttlMs / 2);
    expect(infoB[0]?.remainingMs).toBeGreaterThan(3_000_000);
  });

  it('keeps the line at its limit; who finds it full is refused without a place', async () => {
    const key = newKey();
    expectGranted(await store.acquire({ key, owner: 'p1.0@x', ttlMs, line: true }));
    await database.query({
      text: `update kannuki.leases set queue = array(select 'p9.' || n from generate_series(1, 255) n) where key = $1`,
      values: [key],
    });
    expect(await store.acquire({ key, owner: 'p2.1@x', ttlMs, line: true })).toMatchObject({ inLine: true });
    expect(await store.acquire({ key, owner: 'p3.1@x', ttlMs, line: true })).toMatchObject({
      granted: false,
      inLine: false,
    });
    expect(await store.acquire({ key, owner: 'p3.2@x', ttlMs, line: true, share: reader })).toMatchObject({
      inLine: false,
    });
    expect(await store.acquire({ key, owner: 'p2.1@x', ttlMs, line: true })).toMatchObject({ inLine: true });
  });

  it('updates in place: every update on the hot path is HOT', async () => {
    const own = postgresDatabase({ connectionString: server.url, max: 1, listen: false, schema: 'hot' });
    await migrate(own, [leaseMigrations]);
    const hot = postgresStore({ database: own });
    for (let i = 0; i < 300; i++) {
      const [key, owner] = ['key', `p1.${i}@x`];
      const granted = expectGranted(await hot.acquire({ key, owner, ttlMs, line: i % 2 === 0 }));
      await hot.acquire({ key, owner: `p2.${i}@x`, ttlMs, line: true });
      await hot.leave({ key, owner: `p2.${i}@x` });
      await hot.renew([{ key, owner, token: granted.lastToken, ttlMs }]);
      await hot.release({ key, owner, token: granted.lastToken, acceptMs });
    }
    // A backend reports its counts at the latest when it ends.
    await own.close();
    const counts = await waitForUpdates('hot.leases', 5 * 300 - 1);
    expect(counts).toEqual({ updates: 5 * 300 - 1, inPlace: 5 * 300 - 1 });
  });

  it('does not leave its commit mode behind on a connection', async () => {
    const own = postgresDatabase({ connectionString: server.url, max: 1, listen: false });
    const relaxed = postgresStore({ database: own, durability: 'relaxed' });
    const key = newKey();
    const granted = expectGranted(await relaxed.acquire({ key, owner: 'p1.1@x', ttlMs, line: true }));
    await relaxed.release({ key, owner: 'p1.1@x', token: granted.lastToken, acceptMs });
    expect((await own.query({ text: 'show synchronous_commit' })).rows).toEqual([{ synchronous_commit: 'on' }]);
    await own.close();
  });

  it('sweeps rows that nobody used for a day, but never a token ahead of the clock', async () => {
    const sweeper = postgresStore({ database, random: { fraction: () => 0 } });
    const [idle, ahead, fresh] = [newKey(), newKey(), newKey()];
    await database.query({
      text: `insert into kannuki.leases (key, token, expires_at)
             values ($1, 1, now() - interval '2 days'), ($2, 9e15, now() - interval '2 days'), ($3, 1, now())`,
      values: [idle, ahead, fresh],
    });
    expectGranted(await sweeper.acquire({ key: newKey(), owner: 'p1.1@x', ttlMs, line: true }));
    await sweeper.close();
    const { rows } = await database.query<{ key: string }>({
      text: 'select key from kannuki.leases where key = any ($1)',
      values: [[idle, ahead, fresh]],
    });
    expect(rows.map((row) => row.key).sort()).toEqual([ahead, fresh].sort());
  });

  it('refuses grant ids that its lists and channels could not carry', async () => {
    for (const owner of ['a|1|2', 'a b', '*', 'é.1@x', `${'p'.repeat(60)}.1@x`]) {
      await expect(store.acquire({ key: 'k', owner, ttlMs, line: true })).rejects.toMatchObject({
        code: 'invalid-argument',
      });
    }
  });

  async function expire(key: string): Promise<void> {
    await database.query({
      text: `update kannuki.leases
             set expires_at = now() - interval '1 s',
                 holders    = (select jsonb_object_agg(h.key, jsonb_set(h.value, '{3}', '1')) from jsonb_each(holders) h)
             where key = $1`,
      values: [key],
    });
  }

  async function waitForUpdates(
    table: string,
    atLeast: number,
  ): Promise<{ updates: number; inPlace: number } | undefined> {
    for (;;) {
      const { rows } = await database.query<{ updates: number; inPlace: number }>({
        text: `select n_tup_upd as updates, n_tup_hot_upd as "inPlace" from pg_stat_all_tables where relid = $1::regclass`,
        values: [table],
      });
      if ((rows[0]?.updates ?? 0) >= atLeast) return rows[0];
      // Statistics are told by nobody; they have to be looked at.
      await new Promise<void>((done) => platform.clock.after(50, done));
    }
  }
});

function expectGranted(reply: AcquireReply): Extract<AcquireReply, { granted: true }> {
  if (!reply.granted) throw new Error(`refused: ${JSON.stringify(reply)}`);
  return reply;
}

async function waitUntil(isSo: () => boolean): Promise<void> {
  // A notice comes over a connection of its own; there is nothing to await but its effect.
  while (!isSo()) await new Promise<void>((done) => platform.clock.after(5, done));
}
