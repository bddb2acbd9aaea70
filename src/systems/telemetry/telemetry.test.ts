import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { platform } from '#platform';
import { type PostgresServer, startPostgres } from '../../../test/servers/postgres-server.ts';
import type { EffectQueue } from '../../core/effect-queue.ts';
import type { SqlDatabase } from '../../core/ports.ts';
import type { Phase } from '../../core/rollout/phase.ts';
import { migrate } from '../../engine/migrate.ts';
import { pgliteDatabase } from '../../stores/pglite/index.ts';
import { postgresDatabase } from '../../stores/postgres/index.ts';
import { type Collector, createCollector } from './create-collector.ts';
import { createReporter } from './create-reporter.ts';
import { createRollouts, type Rollouts } from './create-rollouts.ts';
import { createNotifier } from './notify/create-notifier.ts';
import { summarise } from './summarise.ts';
import { telemetryMigrations } from './telemetry-migrations.ts';

describe.each(['PGlite', 'PostgreSQL 18', 'PostgreSQL 15'] as const)('telemetry on %s', (engine) => {
  let server: PostgresServer | undefined;
  let database: SqlDatabase;
  let dir: string;
  let collector: Collector;
  let rollouts: Rollouts;
  let batches = 0;

  beforeAll(async () => {
    if (engine !== 'PGlite') server = await startPostgres({ major: engine === 'PostgreSQL 18' ? 18 : 15 });
    database = server ? postgresDatabase({ connectionString: server.url }) : pgliteDatabase({ dir: 'memory' });
    await migrate(database, [telemetryMigrations]);
    await database.query({ text: 'create table kannuki.sent (key text primary key, name text, payload jsonb)' });
  });
  afterAll(async () => {
    await database?.close();
    await server?.stop();
  });
  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), 'kannuki-telemetry-'));
    await database.query({
      text: 'truncate kannuki.telemetry_events, kannuki.rollouts, kannuki.rollout_changes, kannuki.incidents, kannuki.sent',
    });
    collector = createCollector({ database, dir: join(dir, 'collector') });
    rollouts = createRollouts({ database });
  });
  afterEach(async () => {
    await collector.close();
    rmSync(dir, { recursive: true, force: true });
  });

  const id = () => `batch-${String(++batches).padStart(6, '0')}`;
  const acquiredAt = (atMs: number, strategy = 'web-lock') => ({
    name: 'autosave.lock.acquired',
    atMs,
    strategy,
    durationMs: 10,
  });
  const readonlyAt = (atMs: number) => ({ name: 'autosave.lock.readonly', atMs, reason: 'renew-failed' });
  const send = (session: string, phase: Phase, events: readonly object[], sentAtMs = 0) =>
    collector.collect({ id: id(), session: `session-${session}`, phase, sentAtMs, events }, session);
  /** `bad` of `all` sessions end read-only. */
  const sendSessions = (phase: Phase, all: number, bad: number, prefix = phase) =>
    Promise.all(
      Array.from({ length: all }, (_, i) =>
        send(`${prefix}-${i}`, phase, i < bad ? [acquiredAt(0), readonlyAt(0)] : [acquiredAt(0)]),
      ),
    );
  const toPhase = async (phase: Phase, name = 'autosave') =>
    rollouts.set({ rollout: await rollouts.read(name), phase, actor: 'test' });
  const lines = () =>
    readdirSync(join(dir, 'collector')).flatMap((file) =>
      readFileSync(join(dir, 'collector', file), 'utf8')
        .trim()
        .split('\n'),
    );
  const stored = async () =>
    (await database.query<{ n: number }>({ text: 'select count(*) as n from kannuki.telemetry_events' })).rows[0]?.n;

  it('has what it acknowledged in the database and in the day file', async () => {
    expect(await send('a', 'A-1', [acquiredAt(0), { name: 'wrong' }, readonlyAt(0)])).toMatchObject({
      outcome: 'stored',
      accepted: 2,
      refused: [{ number: 1 }],
    });
    expect(await stored()).toBe(2);
    expect(lines().map((line) => JSON.parse(line))).toMatchObject([
      { name: 'autosave.lock.acquired', number: 0, session: 'session-a', phase: 'A-1', count: 1 },
      { name: 'autosave.lock.readonly', number: 2, reason: 'renew-failed' },
    ]);
    expect(readdirSync(dir)).toEqual(['collector']);
  });

  it('stores a batch once that was sent twice', async () => {
    const batch = { id: id(), session: 'session-a', phase: 'A-1', sentAtMs: 0, events: [acquiredAt(0)] };
    await Promise.all([collector.collect(batch, 'a'), collector.collect(batch, 'a')]);
    await collector.collect(batch, 'a');
    expect(await stored()).toBe(1);
  });

  it('ends a line that a crash cut short before it writes on', async () => {
    await send('a', 'A-1', [acquiredAt(0)]);
    await collector.close();
    const [file = ''] = readdirSync(join(dir, 'collector'));
    writeFileSync(join(dir, 'collector', file), '{"at":"20', { flag: 'a' });
    collector = createCollector({ database, dir: join(dir, 'collector') });
    await send('a', 'A-1', [acquiredAt(0)]);
    const readable = lines().flatMap((line) => {
      try {
        return [JSON.parse(line)];
      } catch {
        return [];
      }
    });
    expect([lines().length, readable.length]).toEqual([3, 2]);
  });

  it('limits a source and leaves the others alone', async () => {
    collector = createCollector({ database, limit: { perSecond: 1, burst: 2 } });
    expect(await send('a', 'A-1', [acquiredAt(0), acquiredAt(0)])).toMatchObject({ outcome: 'stored' });
    expect(await send('a', 'A-1', [acquiredAt(0)])).toMatchObject({ outcome: 'limited' });
    expect(await send('b', 'A-1', [acquiredAt(0)])).toMatchObject({ outcome: 'stored' });
    expect(await stored()).toBe(3);
  });

  it('summarises sessions, rates, times and fallbacks per phase', async () => {
    const rollout = await toPhase('B-0');
    await sendSessions('B-0', 4, 1);
    await send('f', 'B-0', [{ ...acquiredAt(0, 'file-lock'), durationMs: 30 }]);
    await send('r', 'B-0', [
      { name: 'autosave.lock.error', atMs: 0, operation: 'renew', code: 'renew-failed', count: 3 },
    ]);
    await sendSessions('A-2', 2, 2);
    const { phases, judgement } = await summarise(database, rollout);
    expect(phases).toEqual([
      expect.objectContaining({ phase: 'A-2', current: false, sessions: 2, readonlySessions: 2, readonlyRate: 1 }),
      {
        phase: 'B-0',
        current: true,
        sessions: 6,
        readonlySessions: 1,
        readonlyRate: 1 / 6,
        acquireP50Ms: 10,
        acquireP95Ms: expect.closeTo(26, 5),
        fallbackShare: 0.2,
        renewFailures: 3,
      },
    ]);
    expect(judgement).toMatchObject({ breach: false, why: 'too-few-sessions' });
  });

  it('dates late events when they happened: an old outage does not trip the window of today', async () => {
    const rollout = await toPhase('B-0');
    await database.query({ text: `update kannuki.rollouts set phase_since = now() - interval '1 day'` });
    await Promise.all(Array.from({ length: 30 }, (_, i) => send(`late-${i}`, 'B-0', [readonlyAt(0)], 20 * 60_000)));
    const known = await rollouts.read(rollout.name);
    expect((await summarise(database, known)).phases).toEqual([]);
    expect((await summarise(database, known, 30 * 60_000)).judgement).toMatchObject({ breach: true });
  });

  it('forgets what the same phase did before it was left and entered again', async () => {
    await toPhase('B-0');
    await sendSessions('B-0', 20, 20);
    await toPhase('A-2');
    const again = await toPhase('B-0');
    expect((await summarise(database, again)).judgement).toMatchObject({ breach: false, why: 'no-sessions' });
  });

  it('changes a rollout once when two decide on the same version, and notes who', async () => {
    const rollout = await rollouts.read('autosave');
    const results = await Promise.allSettled([
      rollouts.promote({ rollout, actor: 'ada' }),
      rollouts.promote({ rollout, actor: 'bob' }),
    ]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(results.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'rollout-changed' } });
    expect(await rollouts.listChanges('autosave')).toMatchObject([
      { action: 'promote', before: { phase: 'A-0' }, after: { phase: 'A-1' }, version: 2 },
    ]);
    expect((await rollouts.read('autosave')).phase).toBe('A-1');
  });

  it('refuses to roll back to a later phase, or from the first', async () => {
    const first = await rollouts.read('autosave');
    await expect(rollouts.rollback({ rollout: first, actor: 'ada' })).rejects.toMatchObject({ code: 'no-such-phase' });
    const second = await rollouts.promote({ rollout: first, actor: 'ada' });
    await expect(rollouts.rollback({ rollout: second, phase: 'B-1', actor: 'ada' })).rejects.toThrow('not an earlier');
  });

  describe('the reporter', () => {
    let failNext: boolean;
    /** Transactional, with the key as the primary key: what any real queue has to be. */
    const effects: EffectQueue = {
      async enqueue(tx, name, payload, { key }) {
        if (failNext) throw new Error('the queue is full');
        const { rowCount } = await tx.query({
          text: 'insert into kannuki.sent values ($1, $2, $3::jsonb) on conflict do nothing',
          values: [key, name, JSON.stringify(payload)],
        });
        return rowCount === 1;
      },
      handle: () => {},
    };
    const channels = ['slack', 'pagerduty'].map((name) => ({ name, send: async () => {} }));
    const create = () => createReporter({ database, rollouts, notifier: createNotifier(effects, channels) });
    const sent = async () => (await database.query({ text: 'select * from kannuki.sent order by key' })).rows;

    beforeEach(() => {
      failNext = false;
    });

    it('rolls back once, notes command and output, tells each channel once, then counts the earlier phase only', async () => {
      await toPhase('B-0');
      await sendSessions('B-0', 40, 3);
      const reports = await Promise.all(Array.from({ length: engine === 'PGlite' ? 1 : 4 }, () => create().report()));
      const incidents = reports.flatMap(({ incident }) => (incident ? [incident] : []));
      expect(incidents).toEqual([
        expect.objectContaining({
          phase: 'B-0',
          toPhase: 'A-2',
          outcome: 'rolled-back',
          sessions: 40,
          readonlySessions: 3,
          command: 'kannuki flags rollback --phase A-2',
          output: 'Rolled "autosave" back from B-0 to A-2 (25 % of clients), version 3.',
        }),
      ]);
      expect((await sent()).map(({ name }) => name)).toEqual(['telemetry.notify.pagerduty', 'telemetry.notify.slack']);
      expect(await create().listIncidents()).toEqual(incidents);

      await sendSessions('A-2', 25, 1, 'A-2');
      await sendSessions('B-0', 40, 40);
      const { summary, incident } = await create().report();
      expect(incident).toBeUndefined();
      expect(summary.judgement).toMatchObject({ breach: false, why: 'within-threshold', rate: 1 / 25 });
      expect(summary.phases.filter(({ current }) => current)).toMatchObject([{ phase: 'A-2', sessions: 25 }]);
      expect(await sent()).toHaveLength(2);
    });

    it('does all or nothing: a notice that cannot be enqueued leaves the rollout as it was', async () => {
      await toPhase('B-0');
      await sendSessions('B-0', 20, 2);
      failNext = true;
      await expect(create().report()).rejects.toThrow('the queue is full');
      expect(await rollouts.read('autosave')).toMatchObject({ phase: 'B-0', version: 2 });
      expect(await create().listIncidents()).toEqual([]);
      failNext = false;
      expect(await create().report()).toMatchObject({ incident: { outcome: 'rolled-back' } });
    });

    it('only proposes when it was told so, once per version', async () => {
      const rollout = await toPhase('B-0');
      await rollouts.set({ rollout, actor: 'test', settings: { rollback: 'propose' } });
      await sendSessions('B-0', 20, 2);
      expect(await create().report()).toMatchObject({
        incident: { outcome: 'proposed', command: 'kannuki flags rollback --phase A-2', output: null },
      });
      expect((await create().report()).incident).toBeUndefined();
      expect((await rollouts.read('autosave')).phase).toBe('B-0');
      expect(await sent()).toHaveLength(2);
    });

    it('has nowhere to go from the first phase, and says so once', async () => {
      await rollouts.read('autosave');
      await sendSessions('A-0', 20, 2);
      expect(await create().report()).toMatchObject({ incident: { outcome: 'no-earlier-phase', command: null } });
      expect((await create().report()).incident).toBeUndefined();
    });
  });

  it('prunes what is past its retention', async () => {
    await send('a', 'A-1', [acquiredAt(0)], 23 * 3_600_000);
    await send('b', 'A-1', [acquiredAt(0)]);
    const tidy = createCollector({ database, retentionMs: 3_600_000, platform });
    expect(await tidy.prune()).toBe(1);
    expect(await stored()).toBe(1);
  });
});
