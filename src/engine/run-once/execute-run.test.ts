import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { platform } from '#platform';
import { type PostgresServer, startPostgres } from '../../../test/servers/postgres-server.ts';
import type { Platform, SqlDatabase, SqlExecutor } from '../../core/ports.ts';
import { pgliteDatabase } from '../../stores/pglite/index.ts';
import { postgresDatabase } from '../../stores/postgres/index.ts';
import { migrate } from '../migrate.ts';
import { createRunOnce, type RunOnceOptions } from './create-run-once.ts';
import type { Run } from './run.ts';
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

describe.each(['PGlite', 'PostgreSQL 18'])('an execution on %s', (engine) => {
  let server: PostgresServer | undefined;
  let database: SqlDatabase;
  let keys = 0;
  let key: string;

  beforeAll(async () => {
    if (engine !== 'PGlite') server = await startPostgres({ major: 18 });
    database = server ? postgresDatabase({ connectionString: server.url }) : pgliteDatabase({ dir: 'memory' });
    await migrate(database, [runOnceMigrations]);
    await database.query({ text: 'create table effects (key text not null, token bigint not null)' });
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
  const effects = async () =>
    (await database.query({ text: 'select token from effects where key = $1', values: [key] })).rows.length;
  const addEffect = (run: Run) => async (tx: SqlExecutor) => {
    await tx.query({ text: 'insert into effects (key, token) values ($1, $2)', values: [run.key, run.token] });
    return { by: run.token };
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

  describe('take-over', () => {
    it('runs again after the claim has ended; the late completion is refused and answers with what is stored', async () => {
      const zombie = await startZombie(async () => 'zombie');
      await expire();
      const taker = await create()({ key, input: 1 }, async (run) => {
        expect(run.attempt).toBe(2);
        expect(run.token).toBeGreaterThan(zombie.run.token);
        return 'taker';
      });
      expect(taker).toEqual({ outcome: 'ran', result: 'taker' });
      expect(await zombie.finish()).toEqual({ outcome: 'replayed', result: 'taker' });
      expect(await stored()).toMatchObject({ state: 'done', answer: '"taker"' });
    });

    it('tells the late one that it is in flight while the taker runs', async () => {
      const zombie = await startZombie(async () => 'zombie');
      await expire();
      const taker = await startZombie(async () => 'taker');
      expect(await zombie.finish()).toEqual({ outcome: 'in-flight', retryAfterMs: 1_000 });
      expect(await taker.finish()).toEqual({ outcome: 'ran', result: 'taker' });
    });

    it('refuses a late failure, too', async () => {
      const zombie = await startZombie(() => Promise.reject(new Error('zombie')));
      await expire();
      await create()({ key, input: 1 }, () => 'taker');
      expect(await zombie.finish()).toEqual({ outcome: 'replayed', result: 'taker' });
    });

    it('a late one that gives up does not end the claim of the taker', async () => {
      const zombie = await startZombie(() => Promise.reject(Object.assign(new Error('busy'), { retryable: true })));
      await expire();
      const taker = await startZombie(async () => 'taker');
      await expect(zombie.finish()).rejects.toThrow('busy');
      expect((await create()({ key, input: 1 }, () => 'never')).outcome).toBe('in-flight');
      expect(await taker.finish()).toEqual({ outcome: 'ran', result: 'taker' });
    });

    it('gives the late one the failure of the taker', async () => {
      const zombie = await startZombie(async () => 'zombie');
      await expire();
      await create()({ key, input: 1 }, () => Promise.reject(new Error('taker failed'))).catch(() => undefined);
      await expect(zombie.finish()).rejects.toThrow(/taker failed/);
    });

    it('lets the late one complete while nobody has taken over', async () => {
      const zombie = await startZombie(async () => 'zombie');
      await expire();
      expect(await zombie.finish()).toEqual({ outcome: 'ran', result: 'zombie' });
    });

    it('rolls the late effect back, and tells the handler', async () => {
      let told: unknown;
      const zombie = await startZombie((run) =>
        run.transaction(addEffect(run)).catch((error: unknown) => {
          told = error;
          throw error;
        }),
      );
      await expire();
      const taker = await create()({ key, input: 1 }, (run) => run.transaction(addEffect(run)));
      expect(taker.outcome).toBe('ran');
      expect(await zombie.finish()).toEqual({ outcome: 'replayed', result: resultOf(taker) });
      expect(told).toMatchObject({ code: 'lost' });
      expect(await effects()).toBe(1);
    });

    it('answers with what is stored even when the late handler hides the refusal', async () => {
      const zombie = await startZombie((run) => run.transaction(addEffect(run)).catch(() => 'all is well'));
      await expire();
      await create()({ key, input: 1 }, () => 'taker');
      expect(await zombie.finish()).toEqual({ outcome: 'replayed', result: 'taker' });
      expect(await effects()).toBe(0);
    });

    it('never answers a late one with what another input left after pruning', async () => {
      const forgotten = await startZombie(async () => 'zombie');
      const reused = forgotten.finish;
      await database.query({ text: 'delete from kannuki.run_once where key = $1', values: [key] });
      await create()({ key, input: 'other' }, () => 'other');
      expect(await reused()).toEqual({ outcome: 'reused' });
      key = `${key}-again`;
      const gone = await startZombie(async () => 'zombie');
      await database.query({ text: 'delete from kannuki.run_once where key = $1', values: [key] });
      await expect(gone.finish()).rejects.toThrow(code('lost'));
    });
  });

  describe('run.transaction', () => {
    it('commits the effect and the answer together', async () => {
      const runOnce = create();
      const outcome = await runOnce({ key, input: 1 }, async (run) => {
        const result = await run.transaction(addEffect(run));
        expect(await stored()).toMatchObject({ state: 'done' });
        return { ...result, extra: 'not used' };
      });
      expect(outcome).toEqual({ outcome: 'ran', result: { by: expect.any(Number) } });
      expect(await runOnce({ key, input: 1 }, () => 'never')).toEqual({
        outcome: 'replayed',
        result: resultOf(outcome),
      });
      expect(await effects()).toBe(1);
    });

    it('rolls back when the work throws, and may be tried again', async () => {
      const outcome = await create()({ key, input: 1 }, async (run) => {
        const failing = run.transaction(async (tx) => {
          await addEffect(run)(tx);
          throw new Error('changed my mind');
        });
        await expect(failing).rejects.toThrow('changed my mind');
        expect(await effects()).toBe(0);
        return run.transaction(addEffect(run));
      });
      expect(outcome.outcome).toBe('ran');
      expect(await effects()).toBe(1);
    });

    it('stores the failure when the work throws and the handler lets it pass', async () => {
      const call = create()({ key, input: 1 }, (run) =>
        run.transaction(async (tx) => {
          await addEffect(run)(tx);
          throw new Error('no');
        }),
      );
      await expect(call).rejects.toThrow(code('failed'));
      expect(await effects()).toBe(0);
    });

    it('rolls back when the answer cannot be stored', async () => {
      const call = create()({ key, input: 1 }, (run) =>
        run.transaction(async (tx) => {
          await addEffect(run)(tx);
          return 1n;
        }),
      );
      await expect(call).rejects.toMatchObject({ code: 'failed', stored: { code: 'invalid-answer' } });
      expect(await effects()).toBe(0);
    });

    it('happens once: not twice, not two at once, not after the end', async () => {
      const wrong = code('invalid-argument');
      let late: Run | undefined;
      await create()({ key, input: 1 }, async (run) => {
        late = run;
        const first = run.transaction(addEffect(run));
        await expect(run.transaction(addEffect(run))).rejects.toThrow(wrong);
        await first;
        await expect(run.transaction(addEffect(run))).rejects.toThrow(wrong);
      });
      await expect(late?.transaction(addEffect(late))).rejects.toThrow(wrong);
      expect(await effects()).toBe(1);
    });

    it('waits for one that the handler did not wait for', async () => {
      const outcome = await create()({ key, input: 1 }, async (run) => {
        void run.transaction(addEffect(run));
        return 'too early';
      });
      expect(outcome).toEqual({ outcome: 'ran', result: { by: expect.any(Number) } });
      expect(await effects()).toBe(1);
    });

    it('tells an error after the completion, and keeps the answer', async () => {
      const late = new Error('mail server');
      const call = create()({ key, input: 1 }, async (run) => {
        await run.transaction(addEffect(run));
        throw late;
      });
      await expect(call).rejects.toMatchObject({ code: 'threw-after-completion', retryable: true, cause: late });
      expect((await create()({ key, input: 1 }, () => 'never')).outcome).toBe('replayed');
    });
  });
});
