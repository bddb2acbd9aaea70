import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SqlDatabase } from '../../../core/ports.ts';
import { pgliteDatabase } from '../../../stores/pglite/index.ts';
import { createJobTester, type JobTester } from './job-tester.ts';

describe('createJobTester', () => {
  let database: SqlDatabase;
  let tester: JobTester;
  const seen: unknown[] = [];
  beforeAll(async () => {
    database = pgliteDatabase({ dir: 'memory' });
    tester = createJobTester({ database, logs: false });
    const { jobs } = tester;
    jobs.define<{ to: string; n?: number }>({ name: 'mail', handler: ({ payload }) => void seen.push(payload.to) });
    jobs.define<number>({
      name: 'flaky',
      backoff: { baseMs: 60_000, maxMs: 60_000 },
      handler: ({ run }) => {
        if (run.attempt === 1) throw new Error('not yet');
        return run.attempt;
      },
    });
    jobs.define({ name: 'hourly', schedule: { kind: 'every', minutes: 60 }, handler: () => void seen.push('hourly') });
    jobs.define({ name: 'chain', handler: async () => void (await jobs.enqueue('mail', { to: 'chained' })) });
    await jobs.ready();
  }, 120_000);
  afterAll(async () => {
    await tester?.close();
    await database?.close();
  });

  it('asserts what waits, by part of its payload', async () => {
    await tester.jobs.enqueue('mail', { to: 'a@example.com', n: 1 });
    expect(await tester.assertEnqueued('mail', { to: 'a@example.com' })).toHaveLength(1);
    await tester.assertEnqueued('mail', undefined, { count: 1 });
    await expect(tester.assertEnqueued('mail', { to: 'b' })).rejects.toThrow(
      'Expected a waiting run of "mail" with {"to":"b"}, found 0. Waiting: {"to":"a@example.com","n":1}.',
    );
    await expect(tester.assertEnqueued('mail', {}, { count: 2 })).rejects.toThrow('Expected 2 waiting runs');
    await expect(tester.assertNotEnqueued('mail')).rejects.toThrow('found 1');
    expect((await tester.drain()).map(({ job, state }) => [job, state])).toEqual([['mail', 'SUCCEEDED']]);
    await tester.assertNotEnqueued('mail');
  }, 60_000);

  it('runs inline what a run enqueues, too', async () => {
    expect(await tester.runInline('chain')).toMatchObject({ state: 'SUCCEEDED' });
    expect(seen).toContain('chained');
  }, 60_000);

  it('lets time pass for delays, backoffs and schedules', async () => {
    expect(await tester.runInline('flaky')).toMatchObject({ state: 'FAILED', attempt: 1 });
    await tester.assertEnqueued('flaky', undefined, { count: 1 });
    expect(await tester.drain()).toEqual([]);
    tester.advance(61_000);
    expect(await tester.drain()).toMatchObject([{ job: 'flaky', state: 'SUCCEEDED', attempt: 2 }]);
    expect(seen).not.toContain('hourly');
    tester.advance(3_600_000);
    expect((await tester.drain()).map(({ job }) => job)).toEqual(['hourly']);
    expect(seen).toContain('hourly');
  }, 60_000);
});
