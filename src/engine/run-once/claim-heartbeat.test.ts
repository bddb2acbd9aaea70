import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { platform } from '#platform';
import { LeaseError } from '../../core/errors.ts';
import type { SqlDatabase } from '../../core/ports.ts';
import { pgliteDatabase } from '../../stores/pglite/index.ts';
import { fakeClock } from '../../testing/fake-clock.ts';
import { migrate } from '../migrate.ts';
import { createRunOnce, type RunOnceOptions } from './create-run-once.ts';
import { runOnceMigrations } from './run-once-migrations.ts';

function deferred<T = void>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** Lets everything that is already answered be heard. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

const unavailable = () => new LeaseError('The connection broke.', { code: 'store-unavailable', retryable: true });

describe('the claim while the handler runs', () => {
  const database = pgliteDatabase({ dir: 'memory' });
  let keys = 0;
  let key: string;

  beforeAll(async () => {
    await migrate(database, [runOnceMigrations]);
  });
  afterAll(() => database.close());
  beforeEach(() => {
    key = `key-${++keys}`;
  });

  const create = (options: Partial<RunOnceOptions> = {}) => createRunOnce({ database, ...options });
  const expire = () =>
    database.query({
      text: `update kannuki.run_once set expires_at = statement_timestamp() where key = $1 and state = 'running'`,
      values: [key],
    });

  const endOfClaim = async () => {
    const { rows } = await database.query<{ at: string }>({
      text: 'select expires_at::text as at from kannuki.run_once where key = $1',
      values: [key],
    });
    return rows[0]?.at;
  };

  /** Time moves by hand; the statements of the run are seen as they are answered. */
  const watched = (transaction: SqlDatabase['transaction'] = database.transaction) => {
    const clock = fakeClock();
    const renewals: Promise<unknown>[] = [];
    let refuse: (() => Promise<never>) | undefined;
    const seen: SqlDatabase = {
      ...database,
      transaction,
      query: (statement) => {
        const isRenewal =
          statement.text.includes('greatest(r.expires_at, statement_timestamp()') && !statement.text.includes('insert');
        if (isRenewal && refuse) return refuse();
        const answer = database.query<never>(statement);
        if (isRenewal) renewals.push(answer);
        return answer;
      },
    };
    return {
      clock,
      renewals,
      breakRenewals: (how: () => Promise<never>) => {
        refuse = how;
      },
      runOnce: createRunOnce({ database: seen, ttlMs: 60_000, platform: { ...platform, clock } }),
    };
  };

  it('is renewed every quarter of its TTL, and no longer than the handler runs', async () => {
    const { clock, renewals, runOnce } = watched();
    await runOnce({ key, input: 1 }, async (run) => {
      await database.query({
        text: `update kannuki.run_once set expires_at = statement_timestamp() + interval '1 s' where key = $1`,
        values: [key],
      });
      await clock.advance(14_999);
      expect(renewals).toHaveLength(0);
      await clock.advance(1);
      expect(renewals).toHaveLength(1);
      await Promise.all(renewals);
      const { rows } = await database.query<{ left: number }>({
        text: `select date_part('epoch', expires_at - statement_timestamp()) as left from kannuki.run_once where key = $1`,
        values: [key],
      });
      expect(rows[0]?.left).toBeGreaterThan(50);
      expect(run.signal.aborted).toBe(false);
    });
    expect(clock.pendingTimers()).toBe(0);
  });

  it('lost: the signal says so, and the caller gets what the taker stores', async () => {
    const { clock, renewals, runOnce } = watched();
    const outcome = await runOnce({ key, input: 1 }, async (run) => {
      const lost = deferred<unknown>();
      run.signal.addEventListener('abort', () => lost.resolve(run.signal.reason));
      await expire();
      await create()({ key, input: 1 }, () => 'taker');
      await clock.advance(15_000);
      await Promise.all(renewals);
      expect(await lost.promise).toMatchObject({ code: 'lost', key });
      throw run.signal.reason;
    });
    expect(outcome).toEqual({ outcome: 'replayed', result: 'taker' });
  });

  it('lost and nobody has taken over: nothing is stored, the caller is told to ask again', async () => {
    const { clock, renewals, runOnce } = watched();
    const call = runOnce({ key, input: 1 }, async (run) => {
      await expire();
      const lost = deferred();
      run.signal.addEventListener('abort', () => lost.resolve());
      await clock.advance(15_000);
      await Promise.all(renewals);
      await lost.promise;
      throw new Error('stopped half-way');
    });
    await expect(call).rejects.toMatchObject({
      code: 'lost',
      retryable: true,
      cause: { message: 'stopped half-way' },
    });
    expect(await create()({ key, input: 1 }, () => 'next')).toEqual({ outcome: 'ran', result: 'next' });
  });

  it.each<[string, () => Promise<never>]>([
    ['fails', () => Promise.reject(unavailable())],
    ['hangs', () => new Promise<never>(() => {})],
  ])('ends before its TTL when the store %s', async (_, how) => {
    const { clock, breakRenewals, runOnce } = watched();
    const outcome = await runOnce({ key, input: 1 }, async (run) => {
      breakRenewals(how);
      await clock.advance(47_999);
      expect(run.signal.aborted).toBe(false);
      await clock.advance(1);
      expect(run.signal.aborted).toBe(true);
      return 'finished anyway';
    });
    // The token still stands, so the answer counts: the signal is a warning, the guard decides.
    expect(outcome).toEqual({ outcome: 'ran', result: 'finished anyway' });
    expect(clock.pendingTimers()).toBe(0);
  });

  it('renews only itself: once taken over it is lost, and the claim of the taker is left alone', async () => {
    const { clock, renewals, runOnce } = watched();
    const taken = deferred();
    const go = deferred();
    let taker: Promise<unknown> | undefined;
    const outcome = await runOnce({ key, input: 1 }, async (run) => {
      const lost = deferred();
      run.signal.addEventListener('abort', () => lost.resolve());
      await expire();
      taker = create()({ key, input: 1 }, async () => {
        taken.resolve();
        await go.promise;
        return 'taker';
      });
      await taken.promise;
      const before = await endOfClaim();
      await clock.advance(15_000);
      await Promise.all(renewals);
      await lost.promise;
      expect(await endOfClaim()).toEqual(before);
      throw new Error('stopped half-way');
    });
    expect(outcome).toMatchObject({ outcome: 'in-flight' });
    expect(await endOfClaim()).toBeDefined();
    expect(await create()({ key, input: 1 }, () => 'never')).toMatchObject({ outcome: 'in-flight' });
    go.resolve();
    expect(await taker).toEqual({ outcome: 'ran', result: 'taker' });
  });

  it('is not called lost because its own transaction is just completing it', async () => {
    const completed = deferred();
    const commit = deferred();
    const { clock, renewals, runOnce } = watched(async (work) => {
      const result = await database.transaction(async (tx) => {
        const worked = await work(tx);
        completed.resolve();
        await commit.promise;
        return worked;
      });
      // The reply to the renewal overtakes the reply to the commit.
      await Promise.all(renewals);
      await turn();
      return result;
    });
    let signal: AbortSignal | undefined;
    const outcome = runOnce({ key, input: 1 }, async (run) => {
      signal = run.signal;
      await run.transaction(async () => 'done');
      await clock.advance(120_000);
    });
    await completed.promise;
    await clock.advance(15_000);
    expect(renewals).toHaveLength(1);
    commit.resolve();
    expect(await outcome).toEqual({ outcome: 'ran', result: 'done' });
    expect(await renewals[0]).toMatchObject({ rows: [] });
    expect(signal?.aborted).toBe(false);
    expect(clock.pendingTimers()).toBe(0);
  });
});
