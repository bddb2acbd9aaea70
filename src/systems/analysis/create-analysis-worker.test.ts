import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LeaseError } from '../../core/errors.ts';
import type { SqlDatabase } from '../../core/ports.ts';
import { migrate } from '../../engine/migrate.ts';
import { pgliteDatabase } from '../../stores/pglite/index.ts';
import { createJobs } from '../jobs/index.ts';
import type { AnalysisError } from './analysis-error.ts';
import { analysisMigrations } from './analysis-migrations.ts';
import type { AnalysisRepo } from './analysis-repo.ts';
import { type AnalysisWorkerOptions, createAnalysisWorker } from './create-analysis-worker.ts';
import { analysisCloudTask, analysisJobDefinition, enqueueAnalysis } from './enqueue-analysis.ts';
import { sqlAnalysisRepo } from './sql-analysis-repo.ts';

describe('the analysis worker', () => {
  let database: SqlDatabase;
  let repo: AnalysisRepo;
  let id = '';
  let ids = 0;
  const warnings: string[] = [];
  const logger = { debug() {}, info() {}, warn: (message: string) => void warnings.push(message), error() {} };

  beforeAll(async () => {
    database = pgliteDatabase({ dir: 'memory' });
    await migrate(database, [analysisMigrations]);
  });
  beforeEach(async () => {
    warnings.length = 0;
    repo = sqlAnalysisRepo({ database });
    id = `a-${++ids}`;
    await repo.createAnalysis(id, { text: 'hello' });
  });
  afterAll(() => database.close());

  const workerOf = (options: Partial<AnalysisWorkerOptions> = {}) =>
    createAnalysisWorker({ repo, logger, analyze: ({ input }) => ({ seen: input }), ...options });

  it('analyses once, stores the result with the lock cleared, and skips from then on', async () => {
    let bodies = 0;
    const worker = workerOf({
      analyze({ input, lockToken }, { token, signal }) {
        bodies += 1;
        expect(token).toBe(lockToken);
        expect(signal.aborted).toBe(false);
        return { seen: input };
      },
    });
    expect(await worker.handle({ analysisId: id })).toEqual({ outcome: 'done' });
    expect(await worker.handle({ analysisId: id })).toEqual({ outcome: 'skipped', reason: 'already_finished' });
    expect(bodies).toBe(1);
    const analysis = await repo.readAnalysis(id);
    expect(analysis).toMatchObject({ status: 'READY', result: { seen: { text: 'hello' } } });
    expect(analysis?.lockOwner).toBeUndefined();
    expect(warnings).toEqual([]);
    await worker.close();
  });

  it('stores a failure, and what is not JSON is one', async () => {
    const worker = workerOf({
      analyze() {
        throw new TypeError('no such page');
      },
    });
    expect(await worker.handle({ analysisId: id })).toEqual({ outcome: 'failed', reason: 'TypeError: no such page' });
    expect(await repo.readAnalysis(id)).toMatchObject({ status: 'FAILED', error: 'TypeError: no such page' });
    await repo.createAnalysis(`${id}-function`);
    const odd = workerOf({ analyze: () => () => 1 });
    expect(await odd.handle({ analysisId: `${id}-function` })).toMatchObject({ outcome: 'failed' });
    await Promise.all([worker.close(), odd.close()]);
  });

  it('skips what somebody else is at, in this process or another', async () => {
    let finish = (_: unknown): void => {};
    let begun = (): void => {};
    const started = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const worker = workerOf({
      analyze() {
        begun();
        return new Promise((resolve) => {
          finish = resolve;
        });
      },
    });
    const other = workerOf();
    const first = worker.handle({ analysisId: id });
    await started;
    for (const one of [worker, other]) {
      const refused = await one.handle({ analysisId: id });
      expect(refused).toMatchObject({ outcome: 'skipped', reason: 'locked' });
      expect('retryAfterMs' in refused && refused.retryAfterMs).toBeGreaterThan(200_000);
    }
    finish('ok');
    expect(await first).toEqual({ outcome: 'done' });
    await Promise.all([worker.close(), other.close()]);
  });

  it('a lock taken from it aborts the signal, and its result is refused', async () => {
    const worker = workerOf({
      ttlSec: 60,
      async analyze(_, { signal, heartbeat }) {
        await database.query({
          text: `update kannuki.analyses set lock_owner = 'thief', lock_token = lock_token + 1 where analysis_id = $1`,
          values: [id],
        });
        expect(await heartbeat()).toBe(false);
        expect(signal.aborted).toBe(true);
        return 'stale';
      },
    });
    expect(await worker.handle({ analysisId: id })).toEqual({
      outcome: 'lost',
      reason: 'taken',
      retryAfterMs: expect.any(Number),
    });
    expect(await repo.readAnalysis(id)).toMatchObject({ status: 'PENDING', lockOwner: 'thief' });
    expect(warnings).toContain('an analysis lock was lost');
    await worker.close();
  });

  it('a result is refused by its token even if nobody noticed the loss before', async () => {
    const worker = workerOf({
      async analyze() {
        await database.query({
          text: 'update kannuki.analyses set lock_token = lock_token + 1 where analysis_id = $1',
          values: [id],
        });
        return 'stale';
      },
    });
    expect(await worker.handle({ analysisId: id })).toMatchObject({ outcome: 'lost' });
    expect((await repo.readAnalysis(id))?.result).toBeUndefined();
    await worker.close();
  });

  it('a failing release is a warning, and the result stands', async () => {
    const broken: AnalysisRepo = {
      ...repo,
      leases: { ...repo.leases, release: () => Promise.reject(new LeaseError('gone', { code: 'store-unavailable' })) },
    };
    const worker = workerOf({ repo: broken });
    expect(await worker.handle({ analysisId: id })).toEqual({ outcome: 'done' });
    expect(warnings).toEqual(['an analysis lock was not released; it ends with its TTL']);
    expect(await repo.readAnalysis(id)).toMatchObject({ status: 'READY' });
    // The function of the same name does not throw either.
    const deaf = sqlAnalysisRepo({
      database: { ...database, transaction: () => Promise.reject(new Error('gone')) },
      logger,
    });
    await deaf.releaseAnalysisLock(id, 'a', { token: 1 });
    expect(warnings).toHaveLength(2);
    await worker.close();
  });

  it('a result whose answer was lost is sent again and counts once', async () => {
    let sent = 0;
    const lossy: AnalysisRepo = {
      ...repo,
      async finishAnalysis(request) {
        const written = await repo.finishAnalysis(request);
        sent += 1;
        if (sent < 3) throw new LeaseError('no answer', { code: 'store-unavailable', retryable: true });
        return written;
      },
    };
    const worker = workerOf({ repo: lossy });
    expect(await worker.handle({ analysisId: id })).toEqual({ outcome: 'done' });
    expect(sent).toBe(3);
    await worker.close();
  });

  it('an unknown id is an error; a store that is down is one too', async () => {
    const worker = workerOf();
    await expect(worker.handle({ analysisId: 'nowhere' })).rejects.toMatchObject({ code: 'not-found' });
    await expect(worker.handle({ analysisId: '' })).rejects.toMatchObject({ code: 'invalid-argument' });
    const down = new LeaseError('down', { code: 'store-unavailable', retryable: true });
    const offline = workerOf({
      repo: { ...repo, leases: { ...repo.leases, acquire: () => Promise.reject(down) } },
    });
    await expect(offline.handle({ analysisId: id })).rejects.toBe(down);
    await Promise.all([worker.close(), offline.close()]);
  });

  it('an open worker that is closed lets go, and the next one finishes', async () => {
    let begun = (): void => {};
    const started = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const worker = workerOf({
      analyze: (_, { signal }) =>
        new Promise((resolve) => {
          begun();
          signal.addEventListener('abort', () => resolve('late'));
          setImmediate(() => void worker.close().then(() => resolve('late')));
        }),
    });
    const handled = worker.handle({ analysisId: id });
    await started;
    expect((await handled).outcome).toBe('lost');
    const next = workerOf();
    expect(await next.handle({ analysisId: id })).toEqual({ outcome: 'done' });
    await next.close();
  });

  it('as a job of kannuki/jobs it is enqueued once per id, and comes again while it is locked', {
    timeout: 60_000,
  }, async () => {
    const jobs = createJobs({ database, logs: false });
    const worker = workerOf();
    jobs.define(analysisJobDefinition(worker));
    await repo.acquireAnalysisLock(id, 'somebody', 1.2);
    await enqueueAnalysis(jobs, id);
    await enqueueAnalysis(jobs, id);
    const serving = await jobs.startWorker();
    const scheduler = await jobs.startScheduler();
    const states = async () =>
      (await jobs.read.runs({ job: 'analysis' })).map(({ state, attempt }) => ({ state, attempt }));
    for (let left = 500; (await repo.readAnalysis(id))?.status !== 'READY'; left--) {
      expect(left, JSON.stringify(await states())).toBeGreaterThan(0);
      // Nothing here tells when a job has run; asking again is the only way.
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const { rows } = await database.query<{ runs: number }>({
      text: 'select count(distinct idempotency_key)::int as runs from kannuki.job_keys',
    });
    expect(rows).toEqual([{ runs: 1 }]);
    await serving.stop();
    await scheduler.stop();
    await jobs.close();
    await worker.close();
  });

  it('as a job it says when to come again, and what no attempt can mend is not tried again', async () => {
    const worker = workerOf();
    const { handler } = analysisJobDefinition(worker);
    await repo.acquireAnalysisLock(id, 'somebody', 60);
    const error = await handler({ payload: { analysisId: id } }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'unfinished', retryable: true });
    expect((error as AnalysisError).retryAfterMs).toBeGreaterThan(50_000);
    await repo.releaseAnalysisLock(id, 'somebody');
    expect(await handler({ payload: { analysisId: id } })).toEqual({ outcome: 'done' });
    await expect(handler({ payload: { analysisId: 'nowhere' } })).rejects.toMatchObject({ retryable: false });
    await expect(handler({ payload: null })).rejects.toMatchObject({ code: 'invalid-argument', retryable: false });
    await worker.close();
  });

  it('describes an HTTP task of Cloud Tasks', () => {
    const queue = 'projects/p/locations/l/queues/q';
    const baseUrl = 'https://worker.example.org/';
    const { parent, task } = analysisCloudTask({
      analysisId: 'ä/1',
      baseUrl,
      queue,
      auth: { internalToken: 'secret' },
    });
    expect(parent).toBe(queue);
    expect(task.name).toBe(`${queue}/tasks/analysis-c3a42f31`);
    expect(task.httpRequest).toMatchObject({
      httpMethod: 'POST',
      url: 'https://worker.example.org/internal/tasks/analysis',
      headers: { authorization: 'Bearer secret', 'content-type': 'application/json' },
    });
    expect(JSON.parse(Buffer.from(task.httpRequest.body, 'base64').toString())).toEqual({ analysis_id: 'ä/1' });
    const auth = { serviceAccountEmail: 'tasks@p.iam.gserviceaccount.com', audience: baseUrl };
    const signed = analysisCloudTask({ analysisId: 'a', baseUrl, queue, auth }).task.httpRequest;
    expect(signed.oidcToken).toEqual(auth);
    expect(signed.headers).not.toHaveProperty('authorization');
    const hasty = { analysisId: 'a', baseUrl, queue, auth, dispatchDeadlineSec: 1 };
    expect(() => analysisCloudTask(hasty)).toThrow('15 to 1800');
  });
});
