import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { platform } from '#platform';
import { LeaseError } from '../../core/errors.ts';
import type { Platform, SqlDatabase, SqlExecutor } from '../../core/ports.ts';
import { pgliteDatabase } from '../../stores/pglite/index.ts';
import { fakeClock } from '../../testing/fake-clock.ts';
import { migrate } from '../migrate.ts';
import { createRunOnce, type RunOnceOptions } from './create-run-once.ts';
import type { Run } from './run.ts';
import { runOnceMigrations } from './run-once-migrations.ts';

const code = (wanted: string) => expect.objectContaining({ name: 'RunOnceError', code: wanted });

const unavailable = () => new LeaseError('The connection broke.', { code: 'store-unavailable', retryable: true });

describe('a lost reply', () => {
  const database = pgliteDatabase({ dir: 'memory' });
  let keys = 0;
  let key: string;

  beforeAll(async () => {
    await migrate(database, [runOnceMigrations]);
    await database.query({ text: 'create table effects (key text not null, token bigint not null)' });
  });
  afterAll(() => database.close());
  beforeEach(() => {
    key = `key-${++keys}`;
  });

  const create = (options: Partial<RunOnceOptions> = {}) => createRunOnce({ database, ...options });
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

  /** Loses the reply to (`after`) or the request of (`before`) the n-th statement that matches. */
  const losing = (match: RegExp, when: 'after' | 'before', times = 1): SqlDatabase => {
    let left = times;
    const guard = (on: SqlExecutor): SqlExecutor => ({
      query: async (statement) => {
        const hit = left > 0 && match.test(statement.text);
        if (hit) left--;
        if (hit && when === 'before') throw unavailable();
        const answer = await on.query<never>(statement);
        if (hit) throw unavailable();
        return answer;
      },
    });
    return { ...database, ...guard(database), transaction: (work) => database.transaction((tx) => work(guard(tx))) };
  };
  const losingCommit = (when: 'after' | 'before', readable = true): SqlDatabase => ({
    ...database,
    query: (statement) =>
      readable || !/for share/.test(statement.text) ? database.query<never>(statement) : Promise.reject(unavailable()),
    transaction: async (work) => {
      const undo = new Error('undo');
      try {
        await database.transaction(async (tx) => {
          await work(tx);
          if (when === 'before') throw undo;
        });
      } catch (error) {
        if (error !== undo) throw error;
      }
      throw unavailable();
    },
  });

  it('of the claim: asked again, it is the same claim', async () => {
    const outcome = await createRunOnce({ database: losing(/insert into/, 'after') })(
      { key, input: 1 },
      async (run) => run,
    );
    expect(outcome).toMatchObject({ outcome: 'ran', result: { attempt: 1, token: (await stored())?.token } });
  });

  it.each(['after', 'before'] as const)(
    'of the completion (%s it took effect): asked again, it was us',
    async (when) => {
      const runOnce = createRunOnce({ database: losing(/finished_at/, when) });
      expect(await runOnce({ key, input: 1 }, () => 'mine')).toEqual({ outcome: 'ran', result: 'mine' });
      expect(await stored()).toMatchObject({ state: 'done', answer: '"mine"' });
    },
  );

  it('of a completion with a failure: the failure is told', async () => {
    const runOnce = createRunOnce({ database: losing(/finished_at/, 'after') });
    await expect(runOnce({ key, input: 1 }, () => Promise.reject(new Error('no')))).rejects.toMatchObject({
      code: 'failed',
      cause: { message: 'no' },
    });
  });

  it('of every completion: the outcome is unknown, and the same key asks again', async () => {
    const lost = losing(/finished_at/, 'before', 99);
    const clock = fakeClock();
    const call = createRunOnce({ database: lost, platform: { ...platform, clock } })({ key, input: 1 }, () => 'mine');
    const end = call.catch((error: unknown) => error);
    let over = false;
    void end.then(() => {
      over = true;
    });
    // The retries wait on this clock, and between two of them a statement is under way.
    while (!over) {
      await clock.advance(1_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await end).toMatchObject({
      code: 'unknown-outcome',
      retryable: true,
      cause: { code: 'store-unavailable' },
    });
  });

  it('of a commit that happened: the answer is there, and it was us', async () => {
    const runOnce = createRunOnce({ database: losingCommit('after') });
    expect((await runOnce({ key, input: 1 }, (run) => run.transaction(addEffect(run)))).outcome).toBe('ran');
    expect(await effects()).toBe(1);
  });

  it('of a commit that did not happen: the claim is given up, the next caller has the one effect', async () => {
    const runOnce = createRunOnce({ database: losingCommit('before') });
    await expect(runOnce({ key, input: 1 }, (run) => run.transaction(addEffect(run)))).rejects.toThrow(LeaseError);
    expect((await create()({ key, input: 1 }, (run) => run.transaction(addEffect(run)))).outcome).toBe('ran');
    expect(await effects()).toBe(1);
  });

  it.each(['after', 'before'] as const)(
    'of a commit (%s) and of every look at it: unknown, and never two effects',
    async (when) => {
      const quick: Platform = {
        ...platform,
        clock: { ...platform.clock, after: (_, run) => platform.clock.after(0, run) },
      };
      // Renewals come at once, too. Refused after the commit, they must not hide that the outcome is unknown.
      const runOnce = createRunOnce({
        database: losingCommit(when, false),
        platform: quick,
        isRetryable: () => false,
      });
      await expect(runOnce({ key, input: 1 }, (run) => run.transaction(addEffect(run)))).rejects.toThrow(
        code('unknown-outcome'),
      );
      const next = await create()({ key, input: 1 }, (run) => run.transaction(addEffect(run)));
      expect(next.outcome).toBe(when === 'after' ? 'replayed' : 'ran');
      expect(await effects()).toBe(1);
    },
  );
});
