/**
 * The rules of run-once over a table in memory, in virtual time: answers, refusals, lost replies. What the statements
 * mean to PostgreSQL is tested beside this file. Long because it is one list of rules over one set-up.
 */
import { describe, expect, it } from 'vitest';
import { platform } from '#platform';
import { type RunTableRow, runTable } from '../../../test/simulation/run-table.ts';
import { LeaseError } from '../../core/errors.ts';
import type { SqlDatabase } from '../../core/ports.ts';
import { fakeClock } from '../../testing/fake-clock.ts';
import { createRunOnce, type RunOnceOptions } from './create-run-once.ts';
import type { Run } from './run.ts';
import { resultOf } from './run-once-outcome.ts';

function setup(options: Partial<RunOnceOptions> = {}) {
  const clock = fakeClock();
  const { database, rows, sent, values, faults } = runTable(clock);
  const nowUs = (): number => clock.wallMs() * 1000;
  const runOnce = createRunOnce({ database, ttlMs: 1_000, platform: { ...platform, clock }, ...options });
  /** Lets virtual time pass until there is an answer. */
  async function settled<T>(asked: Promise<T>): Promise<T | { readonly threw: unknown }> {
    let done = false;
    const answer = asked.then(
      (value) => value,
      (threw: unknown) => ({ threw }),
    );
    void answer.then(() => {
      done = true;
    });
    for (let i = 0; i < 2_000 && !done; i++) {
      await new Promise((resolve) => setImmediate(resolve));
      if (!done) await clock.runNext();
    }
    return answer;
  }
  const ask = <T>(
    handler: (run: Run) => Promise<T> | T,
    input: unknown = 1,
    more: { scope?: string; signal?: AbortSignal } = {},
  ) => settled(runOnce<T>({ key: 'k1', input, ...more }, async (run) => handler(run)));
  /** Another process takes the claim over and stores its answer, or runs on. */
  const takeOver = (state: 'running' | 'done' | 'failed', answer: unknown = null): void => {
    const row = rows.get('default/k1') as RunTableRow;
    rows.set('default/k1', { ...row, token: row.token + 9, owner: 'other', state, answer, endUs: nowUs() + 500_000 });
  };
  return { clock, rows, sent, values, faults, runOnce, ask, settled, takeOver, row: () => rows.get('default/k1') };
}

describe('answers', () => {
  it('one run, then the same answer for the same input; another input is refused', async () => {
    const { ask, row } = setup();
    let runs = 0;
    const handler = (run: Run) => ({ n: ++runs, key: run.key, scope: run.scope, attempt: run.attempt });
    const result = { n: 1, key: 'k1', scope: 'default', attempt: 1 };
    expect(await ask(handler)).toEqual({ outcome: 'ran', result });
    expect(await ask(handler)).toEqual({ outcome: 'replayed', result });
    expect(await ask(handler, 2)).toEqual({ outcome: 'reused' });
    expect(row()?.state).toBe('done');
    expect(await ask(handler, 2, { scope: 'tenant' })).toMatchObject({
      outcome: 'ran',
      result: { n: 2, scope: 'tenant' },
    });
  });

  it('while somebody runs it, a second caller is told when to ask again', async () => {
    const { ask, takeOver } = setup();
    await ask(() => Promise.reject({ retryable: true }));
    takeOver('running');
    expect(await ask(() => 'second')).toEqual({ outcome: 'in-flight', retryAfterMs: 500 });
  });

  it('a failure is an answer, told by the run and by every replay, with what is stored', async () => {
    const { ask } = setup();
    const mine = Object.assign(new RangeError('mine'), { code: 'E7' });
    const stored = { name: 'RangeError', message: 'mine', code: 'E7' };
    const fail = () => Promise.reject(mine);
    expect(await ask(fail)).toEqual({
      threw: expect.objectContaining({ code: 'failed', key: 'k1', stored, cause: mine }),
    });
    const replay = await ask(() => 'again');
    expect(replay).toEqual({ threw: expect.objectContaining({ code: 'failed', stored, retryable: false }) });
  });

  it('an error that says it is retryable leaves the key open; so does one that the caller names', async () => {
    const { ask, sent, row } = setup();
    const busy = Object.assign(new Error('busy'), { retryable: true });
    expect(await ask(() => Promise.reject(busy))).toEqual({ threw: busy });
    expect(sent).toEqual(['claim', 'end']);
    expect(row()?.state).toBe('running');
    expect(await ask((run) => run.attempt)).toEqual({ outcome: 'ran', result: 2 });
    const named = setup({ isRetryable: (error) => error === 'later' });
    expect(await named.ask(() => Promise.reject('later'))).toEqual({ threw: 'later' });
    expect(await named.ask(() => Promise.reject(busy))).toMatchObject({ threw: { code: 'failed' } });
  });

  it.each([null, 'text', { retryable: 'yes' }, { retryable: false }])(
    '%j does not say it is retryable',
    async (thrown) => {
      expect(await setup().ask(() => Promise.reject(thrown))).toMatchObject({ threw: { code: 'failed' } });
    },
  );

  it('a question about retrying that itself throws keeps the failure', async () => {
    const { ask, row } = setup({
      isRetryable() {
        throw new Error('mistake');
      },
    });
    expect(await ask(() => Promise.reject(new Error('mine')))).toMatchObject({ threw: { code: 'failed' } });
    expect(row()?.state).toBe('failed');
  });

  it('a result that cannot be stored is a failure: the handler has had its effect', async () => {
    const { ask, row } = setup();
    expect(await ask(() => 1n)).toMatchObject({ threw: { code: 'failed', cause: { code: 'invalid-answer' } } });
    expect(row()?.state).toBe('failed');
  });
});

describe('a run that was taken over', () => {
  it.each([
    ['done', '"theirs"', { outcome: 'replayed', result: 'theirs' }],
    ['running', null, { outcome: 'in-flight', retryAfterMs: 500 }],
    ['failed', '{"name":"E","message":"theirs"}', { threw: expect.objectContaining({ code: 'failed' }) }],
  ] as const)('answers with what is stored, never with its own result: %s', async (state, answer, told) => {
    const { ask, takeOver } = setup();
    const outcome = await ask(() => {
      takeOver(state, answer);
      return 'mine';
    });
    expect(outcome).toEqual(told);
  });

  it('and whose record was forgotten is told that its claim was lost', async () => {
    const { ask, rows } = setup();
    const outcome = await ask(() => {
      rows.clear();
      return 'mine';
    });
    expect(outcome).toEqual({ threw: expect.objectContaining({ code: 'lost', retryable: true, key: 'k1' }) });
  });

  it('in a transaction has its writes undone', async () => {
    const { ask, takeOver } = setup();
    let refused: unknown;
    const outcome = await ask(async (run) => {
      takeOver('done', '"theirs"');
      await run
        .transaction(async () => 'mine')
        .catch((error: unknown) => {
          refused = error;
          throw error;
        });
    });
    expect(refused).toMatchObject({ code: 'lost', retryable: true, key: 'k1' });
    expect(outcome).toEqual({ outcome: 'replayed', result: 'theirs' });
  });
});

describe('run.transaction', () => {
  it('stores writes and answer together; the handler’s own return value is not the answer', async () => {
    const { ask, row, sent } = setup();
    const outcome = await ask(async (run) => {
      expect(await run.transaction(async () => ({ at: 1 }))).toEqual({ at: 1 });
      return 'ignored';
    });
    expect(outcome).toEqual({ outcome: 'ran', result: { at: 1 } });
    expect(row()).toMatchObject({ state: 'done' });
    expect(sent).toEqual(['claim', 'complete']);
  });

  it('takes one only: none beside it, none after it, none after the run', async () => {
    const { ask } = setup();
    const refused = { code: 'invalid-argument', key: 'k1' };
    let kept: Run | undefined;
    await ask(async (run) => {
      kept = run;
      const first = run.transaction(async () => 1);
      await expect(run.transaction(async () => 2)).rejects.toMatchObject(refused);
      await expect(run.transaction(async () => 2)).rejects.toThrow('one is under way');
      await first;
      await expect(run.transaction(async () => 3)).rejects.toThrow('its answer is stored');
    });
    await expect(kept?.transaction(async () => 4)).rejects.toMatchObject(refused);
    const plain = setup();
    await plain.ask((run) => {
      kept = run;
    });
    await expect(kept?.transaction(async () => 5)).rejects.toThrow('it is over');
  });

  it('is waited for when the handler did not', async () => {
    const { ask, clock } = setup();
    const pause = (ms: number) => new Promise<void>((resolve) => void clock.after(ms, resolve));
    const outcome = await ask((run) => {
      void run.transaction(async () => {
        await pause(50);
        return 'slow';
      });
      return 'early';
    });
    expect(outcome).toEqual({ outcome: 'ran', result: 'slow' });
  });

  it('that failed may be tried again in the same run', async () => {
    const { ask } = setup();
    const outcome = await ask(async (run) => {
      await expect(run.transaction(() => Promise.reject(new Error('mine')))).rejects.toThrow('mine');
      return run.transaction(async () => 'second');
    });
    expect(outcome).toEqual({ outcome: 'ran', result: 'second' });
  });

  it('a handler that throws after it is told so, and the answer stands', async () => {
    const { ask } = setup();
    const mine = new Error('mine');
    const outcome = await ask(async (run) => {
      await run.transaction(async () => 'stored');
      throw mine;
    });
    expect(outcome).toEqual({
      threw: expect.objectContaining({ code: 'threw-after-completion', retryable: true, key: 'k1', cause: mine }),
    });
    expect(await ask(() => 'again')).toEqual({ outcome: 'replayed', result: 'stored' });
  });

  it('a commit without an answer is settled by what is stored', async () => {
    const committed = setup();
    committed.faults.push({ step: 'commit', when: 'after', times: 1 });
    expect(await committed.ask((run) => run.transaction(async () => 'x'))).toEqual({ outcome: 'ran', result: 'x' });
    const rolledBack = setup();
    rolledBack.faults.push({ step: 'commit', when: 'before', times: 1 });
    const outcome = await rolledBack.ask((run) => run.transaction(async () => 'x'));
    expect(outcome).toMatchObject({ threw: { code: 'store-unavailable' } });
    expect(rolledBack.row()?.state).toBe('running');
  });

  it('a commit without an answer, settled, is like any other: what the handler throws then comes after it', async () => {
    const { ask, faults } = setup();
    faults.push({ step: 'commit', when: 'after', times: 1 });
    const outcome = await ask(async (run) => {
      await run.transaction(async () => 'x');
      throw new Error('after');
    });
    expect(outcome).toMatchObject({ threw: { code: 'threw-after-completion' } });
  });

  it('a commit and a read without an answer leave the outcome unknown', async () => {
    const { ask, faults, row } = setup();
    faults.push({ step: 'commit', when: 'after', times: 1 }, { step: 'read', when: 'before', times: 99 });
    const outcome = await ask((run) => run.transaction(async () => 'x'));
    expect(outcome).toEqual({
      threw: expect.objectContaining({ code: 'unknown-outcome', retryable: true, key: 'k1' }),
    });
    expect(row()?.state).toBe('done');
  });

  it('a commit that failed for another reason is rolled back, and nobody asks', async () => {
    const { ask, faults, sent } = setup();
    const error = new LeaseError('no', { code: 'store-refused' });
    faults.push({ step: 'commit', when: 'before', error, times: 1 });
    expect(await ask((run) => run.transaction(async () => 'x'))).toMatchObject({
      threw: { code: 'failed', cause: error },
    });
    expect(sent).not.toContain('read');
  });
});

describe('lost replies', () => {
  it.each(['before', 'after'] as const)('a claim is asked again when the store was gone %s it', async (when) => {
    const { ask, faults, sent } = setup();
    faults.push({ step: 'claim', when, times: 2 });
    expect(await ask((run) => run.attempt)).toEqual({ outcome: 'ran', result: 1 });
    expect(sent.filter((step) => step === 'claim')).toHaveLength(3);
  });

  it('a completion whose reply was lost is recognised as ours', async () => {
    const { ask, faults } = setup();
    faults.push({ step: 'complete', when: 'after', times: 1 });
    expect(await ask(() => 'x')).toEqual({ outcome: 'ran', result: 'x' });
  });

  it('a store that stays away is given up after five tries: the outcome is unknown', async () => {
    const { ask, faults, sent } = setup();
    faults.push({ step: 'complete', when: 'before', times: 99 });
    const mine = new Error('mine');
    const lost = await ask(() => 'x');
    expect(lost).toEqual({
      threw: expect.objectContaining({ code: 'unknown-outcome', cause: expect.any(LeaseError) }),
    });
    expect(sent.filter((step) => step === 'complete')).toHaveLength(5);
    const other = setup();
    other.faults.push({ step: 'complete', when: 'before', times: 99 });
    const failed = (await other.ask(() => Promise.reject(mine))) as { threw: { cause: AggregateError } };
    expect(failed.threw.cause.errors[0]).toBe(mine);
  });

  it('what the store refuses is not tried again', async () => {
    const { ask, faults, sent } = setup();
    const error = new LeaseError('no', { code: 'store-refused' });
    faults.push({ step: 'claim', when: 'before', error, times: 9 });
    expect(await ask(() => 'x')).toEqual({ threw: error });
    expect(sent).toEqual(['claim']);
  });
});

describe('the claim', () => {
  const pauseOn = (clock: ReturnType<typeof fakeClock>, ms: number) =>
    new Promise<void>((resolve) => void clock.after(ms, resolve));

  it('is renewed every quarter of its TTL while the handler runs, and not after', async () => {
    const { ask, clock, sent, values } = setup();
    expect(await ask(() => pauseOn(clock, 3_100).then(() => 'late'))).toEqual({ outcome: 'ran', result: 'late' });
    expect(sent.filter((step) => step === 'renew')).toHaveLength(12);
    expect(values[1]).toEqual(['default', 'k1', expect.any(Number), expect.any(String), 1_000]);
    expect(clock.pendingTimers()).toBe(0);
  });

  it('is over when the store says so: the signal tells why, and what is stored is the answer', async () => {
    const { ask, clock, takeOver } = setup();
    let reason: unknown;
    const outcome = await ask(async (run) => {
      takeOver('done', '"theirs"');
      await pauseOn(clock, 260);
      reason = run.signal.reason;
      throw new Error('stopped');
    });
    expect(reason).toMatchObject({ code: 'lost', retryable: true, key: 'k1' });
    expect(outcome).toEqual({ outcome: 'replayed', result: 'theirs' });
  });

  it('is over after 0.8 of its TTL without an answer, with the failure as the cause', async () => {
    const { ask, clock, faults } = setup();
    faults.push({ step: 'renew', when: 'before', times: 99 });
    const aborted: number[] = [];
    let reason: unknown;
    const outcome = await ask(async (run) => {
      const startedMs = clock.monotonicMs();
      run.signal.addEventListener('abort', () => {
        aborted.push(clock.monotonicMs() - startedMs);
        reason = run.signal.reason;
      });
      await pauseOn(clock, 900);
      throw new Error('stopped');
    });
    expect(aborted).toEqual([800]);
    expect(reason).toMatchObject({ code: 'lost', cause: { code: 'store-unavailable' } });
    expect(outcome).toMatchObject({ threw: { code: 'lost' } });
  });

  it('a store that hangs cannot keep it alive either', async () => {
    const { ask, clock, faults } = setup();
    faults.push({ step: 'renew', when: 'hang', times: 99 });
    const outcome = await ask(async (run) => {
      await pauseOn(clock, 790);
      expect(run.signal.aborted).toBe(false);
      await pauseOn(clock, 20);
      expect(run.signal.aborted).toBe(true);
      throw run.signal.reason;
    });
    expect(outcome).toMatchObject({ threw: { code: 'lost' } });
  });

  it('of a handler that finishes although it was lost still stores its result while nobody took over', async () => {
    const { ask, clock, faults } = setup();
    faults.push({ step: 'renew', when: 'before', times: 99 });
    expect(await ask(() => pauseOn(clock, 2_000).then(() => 'x'))).toEqual({ outcome: 'ran', result: 'x' });
  });
});

describe('the caller’s signal', () => {
  it('aborted before: nothing is sent', async () => {
    const { ask, sent } = setup();
    const outcome = await ask(() => 'x', 1, { signal: AbortSignal.abort() });
    expect(outcome).toEqual({ threw: expect.objectContaining({ code: 'aborted', key: 'k1' }) });
    expect(sent).toEqual([]);
  });

  it('aborted while claiming: the claim is given back, the handler does not run', async () => {
    const { ask, faults, clock, sent, row } = setup();
    const controller = new AbortController();
    faults.push({ step: 'claim', when: 'before', times: 1 });
    clock.after(10, () => controller.abort());
    expect(await ask(() => 'x', 1, { signal: controller.signal })).toMatchObject({ threw: { code: 'aborted' } });
    expect(sent).toEqual(['claim', 'claim', 'end']);
    expect(row()?.owner).toBe('');
  });

  it('aborted while running: passed on, nothing stored, the next caller runs', async () => {
    const { ask, sent } = setup();
    const controller = new AbortController();
    const why = new Error('enough');
    const outcome = await ask(
      async (run) => {
        controller.abort(why);
        expect(run.signal.reason).toBe(why);
        throw why;
      },
      1,
      { signal: controller.signal },
    );
    expect(outcome).toEqual({
      threw: expect.objectContaining({ code: 'aborted', retryable: true, key: 'k1', cause: why }),
    });
    expect(sent).toEqual(['claim', 'end']);
    expect(await ask((run) => run.attempt)).toEqual({ outcome: 'ran', result: 2 });
  });
});

describe('arguments', () => {
  it.each([
    { ttlMs: 1 },
    { retentionMs: 999 },
    { retentionMs: 367 * 86_400_000 },
    { ttlMs: 5_000, retentionMs: 4_999 },
  ])('refuses %j', (wrong) => {
    expect(() => setup(wrong)).toThrow(expect.objectContaining({ name: 'RunOnceError', code: 'invalid-argument' }));
  });

  it('refuses wrong keys, scopes, inputs and limits before anything is sent', async () => {
    const { runOnce, sent } = setup();
    const wrong = { name: 'RunOnceError', code: 'invalid-argument' };
    await expect(runOnce({ key: '', input: 1 }, async () => 1)).rejects.toMatchObject(wrong);
    await expect(runOnce({ key: 'k', scope: '', input: 1 }, async () => 1)).rejects.toMatchObject(wrong);
    await expect(runOnce({ key: 'k', input: 1n }, async () => 1)).rejects.toMatchObject(wrong);
    for (const limit of [0, 10_001, Number.NaN]) await expect(runOnce.prune({ limit })).rejects.toMatchObject(wrong);
    expect(sent).toEqual([]);
  });

  it('prunes what is past its retention, a thousand at a time unless told otherwise', async () => {
    const { runOnce, values } = setup({ retentionMs: 5_000 });
    expect(await runOnce.prune()).toBe(2);
    await runOnce.prune({ limit: 1.5 });
    await runOnce.prune({ limit: 10_000 });
    expect(values).toEqual([
      [5_000, 1_000],
      [5_000, 1],
      [5_000, 10_000],
    ]);
  });
});

it('for callers to whom everything but a result is an exception', () => {
  expect(resultOf({ outcome: 'ran', result: 1 })).toBe(1);
  expect(resultOf({ outcome: 'replayed', result: 2 })).toBe(2);
  const thrown = (outcome: Parameters<typeof resultOf>[0]) => () => resultOf(outcome);
  expect(thrown({ outcome: 'in-flight', retryAfterMs: 7 })).toThrow(
    expect.objectContaining({ code: 'in-flight', retryable: true, retryAfterMs: 7 }),
  );
  expect(thrown({ outcome: 'reused' })).toThrow(expect.objectContaining({ code: 'reused', retryable: false }));
});

it('a row that is never visible to the next statement ends the asking after five rounds', async () => {
  let asked = 0;
  const query = async () => {
    asked += 1;
    return { rows: [], rowCount: 0 };
  };
  const lost = createRunOnce({ database: { schema: 'k', query } as unknown as SqlDatabase });
  expect(await lost({ key: 'k', input: 1 }, async () => 1)).toEqual({ outcome: 'in-flight', retryAfterMs: 1 });
  expect(asked).toBe(5);
});
