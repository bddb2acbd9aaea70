import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { platform } from '#platform';
import { type PostgresServer, startPostgres } from '../../../test/servers/postgres-server.ts';
import { LeaseError } from '../../core/errors.ts';
import type { Platform, SqlDatabase } from '../../core/ports.ts';
import { pgliteDatabase } from '../../stores/pglite/index.ts';
import { postgresDatabase } from '../../stores/postgres/index.ts';
import { migrate } from '../migrate.ts';
import { createRunOnce, type RunOnceOptions } from './create-run-once.ts';
import type { Run } from './run.ts';
import { RunOnceError } from './run-once-error.ts';
import { runOnceMigrations } from './run-once-migrations.ts';
import { resultOf } from './run-once-outcome.ts';

function deferred<T = void>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** A process that is stopped: its timers do not come. */
const stopped: Platform = { ...platform, clock: { ...platform.clock, after: () => ({ cancel: () => {} }) } };

const code = (wanted: string) => expect.objectContaining({ name: 'RunOnceError', code: wanted });

const unavailable = () => new LeaseError('The connection broke.', { code: 'store-unavailable', retryable: true });

describe.each(['PGlite', 'PostgreSQL 18'])('run-once on %s', (engine) => {
  let server: PostgresServer | undefined;
  let database: SqlDatabase;
  let keys = 0;
  let key: string;

  beforeAll(async () => {
    if (engine !== 'PGlite') server = await startPostgres({ major: 18 });
    database = server ? postgresDatabase({ connectionString: server.url }) : pgliteDatabase({ dir: 'memory' });
    await migrate(database, [runOnceMigrations]);
  });
  afterAll(async () => {
    await database?.close();
    await server?.stop();
  });
  beforeEach(() => {
    key = `key-${++keys}`;
  });

  const create = (options: Partial<RunOnceOptions> = {}) => createRunOnce({ database, ...options });
  const expire = () =>
    database.query({
      text: `update kannuki.run_once set expires_at = statement_timestamp() where key = $1 and state = 'running'`,
      values: [key],
    });
  const stored = async () => {
    const { rows } = await database.query({
      text: `select state, token, owner, answer::text, expires_at > statement_timestamp() as live
        from kannuki.run_once where key = $1`,
      values: [key],
    });
    return rows[0];
  };
  /** A run that has its claim and stands still; `finish` lets its handler go on. */
  const startZombie = async (handler: (run: Run) => Promise<unknown>) => {
    const claimed = deferred<Run>();
    const go = deferred();
    const outcome = create({ platform: stopped })({ key, input: 1 }, async (run) => {
      claimed.resolve(run);
      await go.promise;
      return handler(run);
    });
    outcome.catch(() => undefined);
    const finish = () => {
      go.resolve();
      return outcome;
    };
    return { run: await claimed.promise, finish };
  };

  describe('answers', () => {
    it('runs once and replays', async () => {
      const runOnce = create();
      let runs = 0;
      const call = () => runOnce({ key, input: { a: 1, b: [null, 'x'] } }, async () => ({ id: ++runs }));
      expect(await call()).toEqual({ outcome: 'ran', result: { id: 1 } });
      expect(await call()).toEqual({ outcome: 'replayed', result: { id: 1 } });
      expect(await create()({ key, input: { b: [null, 'x'], a: 1 } }, () => 'never')).toEqual({
        outcome: 'replayed',
        result: { id: 1 },
      });
      expect(runs).toBe(1);
    });

    it.each<[string, unknown, unknown]>([
      ['nothing', undefined, undefined],
      ['null', null, null],
      ['text that jsonb refuses', 'a\u0000b\ud800', 'a\u0000b\ud800'],
      ['keys out of order', { z: 1, a: 2 }, { z: 1, a: 2 }],
      ['a Date, as a string for everybody', { at: new Date(0) }, { at: '1970-01-01T00:00:00.000Z' }],
      ['a number of full precision', 0.1 + 0.2, 0.1 + 0.2],
    ])('gives the first caller and the replay the same: %s', async (_, result, answer) => {
      const first = resultOf(await create()({ key, input: 1 }, () => result));
      const second = resultOf(await create()({ key, input: 1 }, () => 'never'));
      expect(first).toEqual(answer);
      expect(second).toEqual(answer);
      expect(JSON.stringify(second)).toBe(JSON.stringify(answer));
    });

    it('says that it is in flight while somebody runs it', async () => {
      const zombie = await startZombie(async () => 'late');
      const outcome = await create()({ key, input: 1 }, () => 'never');
      expect(outcome).toEqual({ outcome: 'in-flight', retryAfterMs: 1_000 });
      expect(() => resultOf(outcome)).toThrow(code('in-flight'));
      expect(await zombie.finish()).toEqual({ outcome: 'ran', result: 'late' });
    });

    it('keeps scopes apart', async () => {
      const runOnce = create();
      expect(await runOnce({ key, input: 1, scope: 'a' }, () => 'a')).toEqual({ outcome: 'ran', result: 'a' });
      expect(await runOnce({ key, input: 2, scope: 'b' }, () => 'b')).toEqual({ outcome: 'ran', result: 'b' });
    });
  });

  describe('another input is refused first, whatever the state', () => {
    const other = () => create()({ key, input: 'other' }, () => 'never');

    it('running, expired, and done', async () => {
      const zombie = await startZombie(async () => 'mine');
      expect(await other()).toEqual({ outcome: 'reused' });
      await expire();
      expect(await other()).toEqual({ outcome: 'reused' });
      expect(await zombie.finish()).toEqual({ outcome: 'ran', result: 'mine' });
      const outcome = await other();
      expect(outcome).toEqual({ outcome: 'reused' });
      expect(() => resultOf(outcome)).toThrow(code('reused'));
    });

    it('failed, and given up', async () => {
      await expect(create()({ key, input: 1 }, () => Promise.reject(new Error('no')))).rejects.toThrow(code('failed'));
      expect(await other()).toEqual({ outcome: 'reused' });
      key = `${key}-again`;
      await expect(create()({ key, input: 1 }, () => Promise.reject(unavailable()))).rejects.toThrow(LeaseError);
      expect(await other()).toEqual({ outcome: 'reused' });
    });
  });

  describe('a handler that throws', () => {
    it('keeps its failure as the answer', async () => {
      const error = Object.assign(new TypeError('card declined'), { code: 'declined', secret: 'hidden' });
      const first = await create()({ key, input: 1 }, () => Promise.reject(error)).catch((thrown: unknown) => thrown);
      expect(first).toMatchObject({ code: 'failed', retryable: false, key, cause: error });
      const replay = await create()({ key, input: 1 }, () => 'never').catch((thrown: unknown) => thrown);
      expect(replay).toMatchObject({
        code: 'failed',
        key,
        stored: { name: 'TypeError', message: 'card declined', code: 'declined' },
        message: expect.stringContaining('card declined'),
      });
      expect((replay as RunOnceError).cause).toBeUndefined();
      expect((await stored())?.answer).not.toContain('hidden');
    });

    it('throwing synchronously, or something that is no error, is the same', async () => {
      const sync = () => {
        throw 'just text';
      };
      await expect(create()({ key, input: 1 }, sync)).rejects.toMatchObject({
        stored: { name: 'Error', message: 'just text' },
      });
      expect(await stored()).toMatchObject({ state: 'failed' });
    });

    it('leaves the key open when the error is retryable: the next caller runs, under a higher token', async () => {
      const error = unavailable();
      let first: Run | undefined;
      const failing = create()({ key, input: 1 }, (run) => {
        first = run;
        return Promise.reject(error);
      });
      await expect(failing).rejects.toBe(error);
      expect(await stored()).toMatchObject({ state: 'running', live: false, owner: '' });
      const second = await create()({ key, input: 1 }, async (run) => run);
      expect(second).toMatchObject({ outcome: 'ran', result: { attempt: 2 } });
      expect(resultOf(second).token).toBeGreaterThan(first?.token ?? Number.POSITIVE_INFINITY);
    });

    it('asks isRetryable; one that throws itself keeps the failure', async () => {
      const busy = new Error('busy');
      const runOnce = create({ isRetryable: (error) => error === busy });
      await expect(runOnce({ key, input: 1 }, () => Promise.reject(busy))).rejects.toBe(busy);
      await expect(runOnce({ key, input: 1 }, () => Promise.reject(unavailable()))).rejects.toThrow(code('failed'));
      key = `${key}-again`;
      const broken = create({
        isRetryable: () => {
          throw new Error('bug');
        },
      });
      await expect(broken({ key, input: 1 }, () => Promise.reject(busy))).rejects.toThrow(code('failed'));
    });

    it.each([
      ['too large', () => 'x'.repeat(1_000_001), /1000003 bytes of JSON; at most 1000000/],
      ['a BigInt', () => ({ n: 1n }), /cannot be written as JSON/],
      ['a function', () => () => 1, /is a function/],
    ])('keeps a failure when its answer cannot be stored: %s', async (_, handler, message) => {
      const call = () => create()({ key, input: 1 }, handler as () => unknown);
      const first = await call().catch((error: unknown) => error);
      expect(first).toMatchObject({ code: 'failed', cause: { code: 'invalid-answer' } });
      await expect(call()).rejects.toThrow(message);
    });

    it('stores at most a few thousand characters of the message', async () => {
      const long = create()({ key, input: 1 }, () => Promise.reject(new Error('x'.repeat(100_000))));
      const error = (await long.catch((thrown: unknown) => thrown)) as RunOnceError;
      expect(error.stored?.message).toHaveLength(4_000);
    });
  });

  describe("the caller's signal", () => {
    it('before the claim: nothing is sent', async () => {
      const call = create()({ key, input: 1, signal: AbortSignal.abort('enough') }, () => 'never');
      await expect(call).rejects.toMatchObject({ code: 'aborted', cause: 'enough' });
      expect(await stored()).toBeUndefined();
    });

    it('during the claim: it is given up', async () => {
      const controller = new AbortController();
      const slow: SqlDatabase = {
        ...database,
        query: async (statement) => {
          const answer = await database.query<never>(statement);
          controller.abort();
          return answer;
        },
      };
      const call = createRunOnce({ database: slow })({ key, input: 1, signal: controller.signal }, () => 'never');
      await expect(call).rejects.toThrow(code('aborted'));
      expect(await create()({ key, input: 1 }, () => 'next')).toEqual({ outcome: 'ran', result: 'next' });
    });

    it('during the run: nothing is stored, the next caller runs at once', async () => {
      const controller = new AbortController();
      const call = create()({ key, input: 1, signal: controller.signal }, async (run) => {
        controller.abort(new Error('enough'));
        run.signal.throwIfAborted();
      });
      await expect(call).rejects.toMatchObject({ code: 'aborted', cause: { message: 'enough' } });
      expect(await create()({ key, input: 1 }, () => 'next')).toEqual({ outcome: 'ran', result: 'next' });
    });

    it('a handler that finishes anyway has its answer stored', async () => {
      const controller = new AbortController();
      const outcome = await create()({ key, input: 1, signal: controller.signal }, () => {
        controller.abort();
        return 'done';
      });
      expect(outcome).toEqual({ outcome: 'ran', result: 'done' });
    });
  });

  describe('prune', () => {
    const age = (days: number) =>
      database.query({
        text: `update kannuki.run_once set created_at = created_at - $2 * interval '1 day',
          finished_at = finished_at - $2 * interval '1 day', expires_at = expires_at - $2 * interval '1 day' where key = $1`,
        values: [key, days],
      });

    it('forgets answers past their retention, and then the key runs again', async () => {
      const runOnce = create();
      await runOnce({ key, input: 1 }, () => 'old');
      await age(0.9);
      expect(await runOnce.prune()).toBe(0);
      expect((await runOnce({ key, input: 1 }, () => 'never')).outcome).toBe('replayed');
      await age(0.2);
      expect(await runOnce.prune()).toBe(1);
      expect(await runOnce({ key, input: 2 }, () => 'new')).toEqual({ outcome: 'ran', result: 'new' });
    });

    it('forgets failures and abandoned claims, not those that are alive', async () => {
      const runOnce = create();
      await runOnce({ key, input: 1 }, () => Promise.reject(new Error('no'))).catch(() => undefined);
      await age(2);
      expect(await runOnce.prune()).toBe(1);
      const zombie = await startZombie(async () => 'x');
      await age(2);
      await database.query({
        text: `update kannuki.run_once set expires_at = statement_timestamp() where key = $1`,
        values: [key],
      });
      expect(await runOnce.prune()).toBe(0);
      await age(2);
      expect(await runOnce.prune()).toBe(1);
      await expect(zombie.finish()).rejects.toThrow(code('lost'));
    });

    it('takes a bounded batch, oldest first', async () => {
      const runOnce = create();
      const first = key;
      await runOnce({ key, input: 1 }, () => 1);
      await age(3);
      key = `${first}-second`;
      await runOnce({ key, input: 1 }, () => 2);
      await age(2);
      expect(await runOnce.prune({ limit: 1 })).toBe(1);
      expect(await stored()).toBeDefined();
      key = first;
      expect(await stored()).toBeUndefined();
      expect(await runOnce.prune({ limit: 10 })).toBe(1);
    });
  });

  describe('wrong arguments', () => {
    it.each<[string, Partial<RunOnceOptions>]>([
      ['ttlMs 0', { ttlMs: 0 }],
      ['ttlMs negative', { ttlMs: -1 }],
      ['ttlMs not a number', { ttlMs: Number.NaN }],
      ['ttlMs of a year', { ttlMs: 366 * 86_400_000 }],
      ['retentionMs below the ttl', { ttlMs: 60_000, retentionMs: 59_999 }],
      ['retentionMs for ever', { retentionMs: Number.POSITIVE_INFINITY }],
    ])('are refused: %s', (_, options) => {
      expect(() => create(options)).toThrow(code('invalid-argument'));
    });

    it.each([
      ['an empty key', { key: '', input: 1 }],
      ['a key of 10 kB', { key: 'x'.repeat(10_000), input: 1 }],
      ['a control character', { key: 'a\nb', input: 1 }],
      ['an empty scope', { key: 'a', scope: '', input: 1 }],
      ['input that is no JSON', { key: 'a', input: new Date() }],
      ['no input at all', { key: 'a', input: undefined }],
    ])('are refused: %s', async (_, request) => {
      await expect(create()(request, () => 'never')).rejects.toThrow(code('invalid-argument'));
    });

    it.each([0, -1, Number.NaN, 10_001])('are refused: prune limit %d', async (limit) => {
      await expect(create().prune({ limit })).rejects.toThrow(code('invalid-argument'));
    });

    it('are RunOnceErrors', async () => {
      await expect(create()({ key: '', input: 1 }, () => 1)).rejects.toBeInstanceOf(RunOnceError);
    });
  });
});
