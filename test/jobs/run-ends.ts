/** Workers of `createJobs` on a real server: how runs end, are retried and canceled, and what is refused. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { JobError } from '../../src/systems/jobs/index.ts';
import { gate, until } from './until.ts';
import { noDelay, type WorkerRig } from './worker-rig.ts';

export function describeRunEnds(rig: WorkerRig): void {
  describe('how runs end', () => {
    it('tries again as the definition says, each attempt a row that names the one before', async () => {
      const attempts: number[] = [];
      rig.jobs.define({
        name: 'flaky',
        maxRetries: 2,
        backoff: noDelay,
        handler({ run }): string {
          attempts.push(run.attempt);
          if (run.attempt < 3) throw new Error(`attempt ${run.attempt}`);
          return 'done';
        },
      });
      const { runId } = await rig.jobs.enqueue('flaky');
      await rig.jobs.startWorker();
      expect(await rig.ended(runId)).toMatchObject({
        state: 'FAILED',
        reason: 'handler-failed',
        error: 'Error: attempt 1',
      });
      const second = (await rig.successorOf(runId)) ?? 0;
      expect(await rig.ended(second)).toMatchObject({ state: 'FAILED', attempt: 2, retryOf: runId });
      const third = (await rig.successorOf(second)) ?? 0;
      expect(await rig.ended(third)).toMatchObject({ state: 'SUCCEEDED', attempt: 3, result: 'done' });
      expect(await rig.successorOf(third)).toBeUndefined();
      expect(attempts).toEqual([1, 2, 3]);
    });

    it.each([
      [
        'a string',
        (): Promise<never> => Promise.reject('no'),
        { state: 'FAILED', reason: 'handler-failed', error: 'The handler threw "no".' },
      ],
      ['undefined', (): Promise<never> => Promise.reject(undefined), { state: 'FAILED', reason: 'handler-failed' }],
      [
        'an error that is not retryable',
        () => {
          throw new JobError('Not this way.', { code: 'invalid-argument' });
        },
        { state: 'FAILED', reason: 'invalid-argument' },
      ],
      ['a result that is not JSON', (): unknown => 1n, { state: 'FAILED', reason: 'invalid-result' }],
      [
        'a result with a circle',
        () => {
          const a: unknown[] = [];
          a.push(a);
          return a;
        },
        { state: 'FAILED', reason: 'invalid-result' },
      ],
      ['a result with NUL', () => ({ text: 'a\u0000b' }), { state: 'FAILED', reason: 'invalid-result' }],
    ] as const)('a handler gives %s', async (_, handler, wanted) => {
      rig.jobs.define({ name: 'odd', maxRetries: 0, handler });
      rig.jobs.define({ name: 'even', handler: () => 'fine' });
      const { runId } = await rig.jobs.enqueue('odd');
      await rig.jobs.startWorker();
      expect(await rig.ended(runId)).toMatchObject(wanted);
      // Nothing else is disturbed.
      expect(await rig.ended((await rig.jobs.enqueue('even')).runId)).toMatchObject({ state: 'SUCCEEDED' });
    });

    it('ends a handler that never returns, and goes on with others', async () => {
      let reason: unknown;
      rig.jobs.define({
        name: 'stuck',
        timeoutSeconds: 0.1,
        maxRetries: 0,
        handler: ({ signal }) =>
          new Promise(() =>
            signal.addEventListener('abort', () => {
              reason = signal.reason;
            }),
          ),
      });
      rig.jobs.define({ name: 'fine', handler: () => 1 });
      const { runId } = await rig.jobs.enqueue('stuck');
      await rig.jobs.startWorker({ concurrency: 1, graceMs: 50 });
      const fine = await rig.jobs.enqueue('fine');
      expect(await rig.ended(runId)).toMatchObject({
        state: 'TIMED_OUT',
        reason: 'timeout',
        error: 'It ran longer than 0.1 s.',
      });
      expect(reason).toMatchObject({ code: 'aborted' });
      expect(await rig.ended(fine.runId)).toMatchObject({ state: 'SUCCEEDED' });
    });

    it('runs the lower priority number first', async () => {
      const order: unknown[] = [];
      rig.jobs.define({ name: 'p', handler: ({ payload }) => void order.push(payload) });
      await rig.jobs.enqueueMany([3, 1, 2].map((n) => ({ job: 'p', payload: n, priority: n })));
      await rig.jobs.startWorker({ concurrency: 1 });
      await until(() => order.length === 3, 'all ran');
      expect(order).toEqual([1, 2, 3]);
    });

    it('waits for scheduledFor, and claims only what it has a handler for', async () => {
      const seen: unknown[] = [];
      rig.jobs.define({ name: 'later', handler: ({ payload }) => void seen.push(payload) });
      rig.jobs.define({ name: 'elsewhere' });
      await rig.jobs.enqueue('elsewhere', 0, { priority: -1 });
      const nowMs = performance.timeOrigin + performance.now();
      await rig.jobs.enqueue('later', 'soon', { scheduledFor: nowMs + 400 });
      await rig.jobs.enqueue('later', 'now');
      await rig.jobs.startWorker();
      await until(() => seen.length === 2, 'both ran');
      expect(seen).toEqual(['now', 'soon']);
      expect(await rig.jobs.read.runs({ state: 'PENDING' })).toMatchObject([{ job: 'elsewhere' }]);
    });

    it('keeps progress, and tells the owner', async () => {
      const go = gate();
      const checked = gate<unknown>();
      rig.jobs.define({
        name: 'slow',
        async handler({ progress, assertOwner }) {
          progress(0.25);
          await assertOwner().then(() => checked.open('mine'), checked.open);
          await go.opened;
        },
      });
      const { runId } = await rig.jobs.enqueue('slow');
      await rig.jobs.startWorker({ heartbeatMs: 50 });
      expect(await checked.opened).toBe('mine');
      await until(async () => (await rig.jobs.read.run(runId))?.progress === 0.25, 'the progress is stored');
      go.open();
      expect(await rig.ended(runId)).toMatchObject({ state: 'SUCCEEDED', version: 4 });
    });
  });

  describe('payloads', () => {
    const schema = z.object({ to: z.email(), copies: z.coerce.number().int().max(3).default(1) });

    it('are checked before anything is sent, and given to the handler as the schema made them', async () => {
      const seen: unknown[] = [];
      const mail = rig.jobs.define({
        name: 'mail',
        schema,
        handler: ({ payload }) => void seen.push(payload.copies + 1),
      });
      await expect(mail.enqueue({ to: 'nobody', copies: 9 })).rejects.toMatchObject({
        code: 'invalid-payload',
        message: expect.stringMatching(/to: .*copies: /),
      });
      const wrong = [
        { job: 'mail', payload: { to: 'a@b.de' } },
        { job: 'mail', payload: {} },
      ];
      await expect(rig.jobs.enqueueMany(wrong)).rejects.toMatchObject({ code: 'invalid-payload' });
      expect(await rig.jobs.read.runs()).toEqual([]);
      await mail.enqueue({ to: 'a@b.de', copies: '2' } as never);
      await rig.jobs.startWorker();
      await until(() => seen.length === 1, 'it ran');
      expect(seen).toEqual([3]);
    });

    it('come with options of their own, many in one statement', async () => {
      rig.jobs.define({ name: 'a' });
      rig.jobs.define({ name: 'b', priority: 5 });
      const odd = ['"', '\\', 'NULL', '{a,b}', ' x ', 'é😀', "'"];
      const keyed = odd.map((key, i) => ({ job: 'a', payload: i, idempotencyKey: key, concurrencyKey: key }));
      const plain = { job: 'b', payload: null, scheduledFor: '2030-01-02T03:04:05.678+09:00', priority: -1 };
      expect(await rig.jobs.enqueueMany([...keyed, plain])).toEqual({ created: 8, duplicates: 0 });
      expect(await rig.jobs.enqueueMany([...keyed, { job: 'b', payload: 1 }, keyed[0] ?? plain])).toEqual({
        created: 1,
        duplicates: 8,
      });
      expect(await rig.jobs.enqueueMany([plain, { job: 'a', payload: 2 }])).toEqual({ created: 2, duplicates: 0 });
      const { rows } = await rig.real.query({
        text: `select d.name, r.priority, r.payload, r.idempotency_key as key, r.concurrency_key as one, r.gate,
  extract(epoch from r.scheduled_for)::float8 as at from "${rig.real.schema}".job_runs r
  join "${rig.real.schema}".job_definitions d on d.id = r.job_definition_id order by r.id`,
      });
      const later = { name: 'b', priority: -1, payload: null, key: null, one: null, gate: 0, at: 1_893_521_045.678 };
      expect(rows).toEqual([
        ...odd.map((key, i) =>
          expect.objectContaining({ name: 'a', priority: 0, payload: i, key, one: `k:${key}`, gate: 1 }),
        ),
        later,
        expect.objectContaining({ name: 'b', priority: 5, payload: 1, key: null, one: null, gate: 0 }),
        later,
        expect.objectContaining({ name: 'a', priority: 0, payload: 2, key: null }),
      ]);
    });

    it('of an older deploy that no longer fit fail with that reason, once', async () => {
      rig.jobs.define({ name: 'mail' });
      const { runId } = await rig.jobs.enqueue('mail', { old: true });
      rig.jobs.define({ name: 'mail', schema, handler: () => 'sent' });
      await rig.jobs.startWorker();
      expect(await rig.ended(runId)).toMatchObject({ state: 'FAILED', reason: 'invalid-payload' });
      expect(await rig.successorOf(runId)).toBeUndefined();
    });

    it.each([
      ['an unknown job', () => rig.jobs.enqueue('nobody'), 'unknown-job'],
      ['10 MB', () => rig.jobs.enqueue('plain', 'x'.repeat(10_000_000)), 'invalid-payload'],
      ['a function', () => rig.jobs.enqueue('plain', () => 1), 'invalid-payload'],
      ['a bigint', () => rig.jobs.enqueue('plain', 1n), 'invalid-payload'],
      ['a NUL', () => rig.jobs.enqueue('plain', { text: 'a\u0000' }), 'invalid-payload'],
      ['a priority of 1.5', () => rig.jobs.enqueue('plain', 1, { priority: 1.5 }), 'invalid-argument'],
      ['an empty key', () => rig.jobs.enqueue('plain', 1, { idempotencyKey: '' }), 'invalid-argument'],
      [
        'a time without a zone',
        () => rig.jobs.enqueue('plain', 1, { scheduledFor: '2026-01-01T00:00' }),
        'invalid-argument',
      ],
      ['a time that is none', () => rig.jobs.enqueue('plain', 1, { scheduledFor: Number.NaN }), 'invalid-argument'],
      ['a transaction of an unknown kind', () => rig.jobs.enqueue('plain', 1, { tx: {} as never }), 'invalid-argument'],
    ])('refuses %s', async (_, act, code) => {
      rig.jobs.define({ name: 'plain' });
      await expect(act()).rejects.toMatchObject({ name: 'JobError', code });
      expect(await rig.jobs.read.runs()).toEqual([]);
    });

    it.each([
      ['a cron line that never fires', { schedule: { kind: 'cron', cron: '0 0 30 2 *' } }, 'invalid-schedule'],
      ['a zone that is none', { schedule: { kind: 'daily', at: '09:00', zone: 'Mars/Base' } }, 'invalid-schedule'],
      ['no name', { name: '' }, 'invalid-argument'],
      ['a negative time-out', { timeoutSeconds: -1 }, 'invalid-argument'],
      ['half a retry', { maxRetries: 0.5 }, 'invalid-argument'],
    ] as const)('a definition with %s throws at once', (_, part, code) => {
      expect(() => rig.jobs.define({ name: 'wrong', ...part })).toThrow(expect.objectContaining({ code }));
    });
  });

  describe('cancel', () => {
    it('of a running run reaches the handler at once, is acknowledged, and suppresses retries', async () => {
      const started = gate();
      const signalled = gate<number>();
      rig.jobs.define({
        name: 'long',
        backoff: noDelay,
        handler: ({ signal }) =>
          new Promise((_, reject) => {
            started.open();
            signal.addEventListener('abort', () => {
              signalled.open(performance.now());
              reject(signal.reason);
            });
          }),
      });
      const { runId } = await rig.jobs.enqueue('long');
      // A heartbeat once a minute: only the notice can be so quick.
      await rig.jobs.startWorker({ heartbeatMs: 60_000 });
      await started.opened;
      const askedMs = performance.now();
      expect(await rig.jobs.cancel(runId, { by: 'ops', why: 'wrong month' })).toEqual({ outcome: 'requested' });
      expect((await signalled.opened) - askedMs).toBeLessThan(2_000);
      expect(await rig.ended(runId)).toMatchObject({ state: 'CANCELED', reason: 'canceled' });
      expect(await rig.successorOf(runId)).toBeUndefined();
      await until(
        async () => (await rig.jobs.read.cancel(runId))?.acknowledgedAtMs != null,
        'the cancel is acknowledged',
      );
      expect(await rig.jobs.read.cancel(runId)).toMatchObject({
        requestedBy: 'ops',
        why: 'wrong month',
        deliveredAtMs: expect.any(Number),
      });
      expect(await rig.jobs.read.audit({ target: `run/${runId}` })).toMatchObject([
        { actor: 'ops', action: 'cancel', before: { state: 'RUNNING' }, after: { outcome: 'requested' } },
      ]);
      expect(await rig.jobs.cancel(runId)).toEqual({ outcome: 'ended' });
      expect(await rig.jobs.cancel(999)).toEqual({ outcome: 'not-found' });
    });

    it('is found by the heartbeat when the notice was lost', async () => {
      const started = gate();
      rig.jobs.define({
        name: 'long',
        handler: ({ signal }) =>
          new Promise((_, reject) => {
            started.open();
            signal.addEventListener('abort', () => reject(signal.reason));
          }),
      });
      const { runId } = await rig.jobs.enqueue('long');
      await rig.jobs.startWorker({ heartbeatMs: 50 });
      await started.opened;
      await rig.real.query({ text: `update "${rig.real.schema}".job_runs set cancel_requested_at = now()` });
      expect(await rig.ended(runId)).toMatchObject({ state: 'CANCELED' });
    });

    it('of a run that waits ends it at once, and an ended run can be retried once', async () => {
      rig.jobs.define({ name: 'waits' });
      const { runId } = await rig.jobs.enqueue('waits');
      expect(await rig.jobs.retry(runId)).toEqual({ retried: false, reason: 'not-ended' });
      expect(await rig.jobs.cancel(runId)).toEqual({ outcome: 'canceled' });
      expect(await rig.jobs.read.transitions(runId)).toMatchObject([{ from: 'PENDING', to: 'CANCELED', version: 2 }]);
      const retries = await Promise.all([rig.jobs.retry(runId), rig.jobs.retry(runId), rig.jobs.retry(runId)]);
      expect(retries.filter(({ retried }) => retried)).toHaveLength(1);
      expect(await rig.jobs.retry(runId)).toEqual({ retried: false, reason: 'has-successor' });
      expect(await rig.jobs.retry(999)).toEqual({ retried: false, reason: 'not-found' });
    });
  });
}
