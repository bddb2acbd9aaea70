/** Jobs over HTTP, on a real database with a real worker and leader. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CheckedApp, checkedApp } from '../../test/servers/checked-app.ts';
import type { SqlDatabase } from '../core/ports.ts';
import { memoryStore } from '../stores/memory/index.ts';
import { pgliteDatabase } from '../stores/pglite/index.ts';
import { createJobs, type Jobs } from '../systems/jobs/index.ts';
import { apiToken } from './authenticate.ts';
import { createServerApp } from './create-server-app.ts';
import { jobDescriptions } from './descriptions/job-descriptions.ts';

const secret = 'a'.repeat(64);
let database: SqlDatabase;
let jobs: Jobs;
let app: CheckedApp;
let release: () => void = () => {};

beforeAll(async () => {
  database = pgliteDatabase({ dir: 'memory' });
  jobs = createJobs({ database });
  jobs.define({
    name: 'talk',
    handler: async ({ log, flushLog, payload }) => {
      log(`hello ${JSON.stringify(payload)}`);
      await flushLog();
      return { said: true };
    },
  });
  jobs.define({
    name: 'wait',
    maxRetries: 0,
    handler: ({ signal }) =>
      new Promise((resolve, reject) => {
        release = () => resolve(undefined);
        signal.addEventListener('abort', () => reject(signal.reason));
      }),
  });
  jobs.define({ name: 'on-order', on: 'order', handler: ({ payload }) => payload });
  await jobs.startScheduler({ tickMs: 50 });
  await jobs.startWorker();
  app = checkedApp(
    createServerApp({ store: memoryStore(), jobs, tokens: [apiToken({ name: 'root', role: 'admin', secret })] }),
  );
});
afterAll(async () => {
  release();
  await jobs?.close();
  await database?.close();
});

interface Reply {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a JSON body of any shape, looked into by the assertions.
  readonly json: any;
}

async function ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Reply> {
  const response = await app.fetch(
    new Request(`http://test/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${secret}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }),
  );
  return { status: response.status, json: await response.json() };
}

async function untilState(id: number, state: RegExp): Promise<Reply> {
  // Over HTTP nobody is told; a client asks again.
  for (let n = 0; n < 1_000; n++) {
    const reply = await ask('GET', `/runs/${id}`);
    if (state.test(reply.json.run?.state)) return reply;
    await sleep(20);
  }
  throw new Error(`run ${id} never was ${state}`);
}

describe('runs over HTTP', () => {
  it('are enqueued, followed and read', async () => {
    const enqueued = await ask('POST', '/jobs/talk/runs', { payload: { to: 'you' }, priority: 3 });
    expect(enqueued).toMatchObject({ status: 201, json: { created: true } });
    const { runId } = enqueued.json;
    const { json } = await untilState(runId, /SUCCEEDED/);
    expect(json).toMatchObject({ run: { job: 'talk', priority: 3, result: { said: true } }, cancel: null });
    expect(json.transitions.map(({ to }: { to: string }) => to)).toEqual(['ASSIGNED', 'RUNNING', 'SUCCEEDED']);
    const log = await ask('GET', `/runs/${runId}/log`);
    expect(log.json).toMatchObject({ lines: [{ attempt: 1, text: 'hello {"to":"you"}' }], more: false, ended: true });
    expect((await ask('GET', `/runs/${runId}/log?after=${log.json.next}`)).json.lines).toEqual([]);
    const listed = await ask('GET', '/runs?job=talk&state=SUCCEEDED&limit=10');
    expect(listed.json.runs.map(({ id }: { id: number }) => id)).toContain(runId);
  });

  it('are made once per key, in the body or in the header', async () => {
    const first = await ask('POST', '/jobs/talk/runs', {}, { 'idempotency-key': 'k-1' });
    const second = await ask('POST', '/jobs/talk/runs', { idempotencyKey: 'k-1' });
    expect([first.status, second.status]).toEqual([201, 200]);
    expect(second.json).toEqual({ created: false, runId: first.json.runId });
  });

  it('are canceled: told to the worker, acknowledged, in the audit', async () => {
    const { runId } = (await ask('POST', '/jobs/wait/runs', {})).json;
    await untilState(runId, /RUNNING/);
    expect(await ask('POST', `/runs/${runId}/cancel`, { why: 'changed my mind' })).toMatchObject({ status: 202 });
    const { json } = await untilState(runId, /CANCELED/);
    expect(json.cancel).toMatchObject({ requestedBy: 'root', why: 'changed my mind' });
    expect(await ask('POST', `/runs/${runId}/cancel`)).toMatchObject({ status: 409, json: { code: 'ended' } });
    const { entries } = (await ask('GET', '/audit?limit=5')).json;
    expect(entries).toContainEqual(
      expect.objectContaining({ actor: 'root', action: 'cancel', why: 'changed my mind' }),
    );
  });

  it('are repeated on demand, once', async () => {
    const { runId } = (await ask('POST', '/jobs/talk/runs', { payload: 1 })).json;
    await untilState(runId, /SUCCEEDED/);
    const retried = await ask('POST', `/runs/${runId}/retry`);
    expect(retried.status).toBe(201);
    await untilState(retried.json.runId, /SUCCEEDED/);
    expect((await ask('GET', `/runs/${retried.json.runId}`)).json.run.retryOf).toBe(runId);
    expect(await ask('POST', `/runs/${runId}/retry`)).toMatchObject({ status: 409, json: { code: 'has-successor' } });
    expect(await ask('POST', `/runs/${runId}/reassign`)).toMatchObject({ status: 409, json: { code: 'wrong-state' } });
  });

  it('come from events, once per dedupe key', async () => {
    const event = { name: 'order', payload: { id: 5 }, dedupeKey: 'order-5' };
    expect((await ask('POST', '/events', event)).status).toBe(201);
    expect((await ask('POST', '/events', event)).status).toBe(200);
    for (let n = 0; n < 500; n++) {
      const { runs } = (await ask('GET', '/runs?job=on-order&state=SUCCEEDED')).json;
      if (runs.length > 0) {
        expect(runs).toHaveLength(1);
        expect(runs[0]).toMatchObject({ payload: { id: 5 }, trigger: 'event' });
        return;
      }
      // As above: a client asks again.
      await sleep(20);
    }
    throw new Error('the event made no run');
  });

  it('that do not exist, and nonsense, are told apart', async () => {
    expect(await ask('GET', '/runs/999999')).toMatchObject({ status: 404, json: { code: 'not-found' } });
    expect(await ask('GET', '/runs/999999/log')).toMatchObject({ status: 404 });
    expect(await ask('POST', '/runs/999999/cancel')).toMatchObject({ status: 404 });
    expect(await ask('POST', '/runs/999999/retry')).toMatchObject({ status: 404 });
    expect(await ask('POST', '/runs/999999/reassign')).toMatchObject({ status: 404 });
    expect(await ask('POST', '/jobs/nobody/runs', {})).toMatchObject({ status: 404, json: { code: 'unknown-job' } });
    for (const path of [
      '/runs/0',
      '/runs/-1',
      '/runs/x',
      '/runs/99999999999999999999',
      '/runs/1/log?after=x',
      '/runs?limit=0',
      '/runs?state=X',
      '/runs?bogus=1',
    ])
      expect((await ask('GET', path)).status, path).toBe(400);
    for (const body of [{ payload: 1, extra: 1 }, { priority: 1e9 }, { scheduledFor: 'tomorrow' }, [], 'x'])
      expect((await ask('POST', '/jobs/talk/runs', body)).status, JSON.stringify(body)).toBe(400);
    expect((await ask('POST', '/jobs/talk/runs', { payload: 'x'.repeat(2_000_000) })).status).toBe(413);
  });
});

describe('jobs over HTTP', () => {
  it('are defined, listed, paused', async () => {
    const name = 'night/レポート';
    const path = `/jobs/${encodeURIComponent(name)}`;
    const body = {
      target: { kind: 'command', command: ['true'] },
      schedule: { kind: 'daily', at: '02:30', zone: 'Asia/Tokyo' },
    };
    expect(await ask('PUT', path, body)).toMatchObject({ status: 200, json: { job: { name, target: body.target } } });
    const { json } = await ask('GET', path);
    expect(json.job.schedule).toEqual(body.schedule);
    expect(json.nextDueTimes).toHaveLength(5);
    expect((await ask('POST', `${path}/pause`, { paused: true })).json).toEqual({ paused: true });
    expect((await ask('GET', '/jobs')).json.jobs).toContainEqual(expect.objectContaining({ name, paused: true }));
    expect((await ask('GET', `${path}/slots`)).json).toEqual({ slots: [] });
    expect(await ask('GET', '/jobs/nobody')).toMatchObject({ status: 404, json: { code: 'unknown-job' } });
    expect((await ask('POST', '/jobs/nobody/pause', { paused: true })).status).toBe(404);
  });

  it('keep their code when an operator edits them', async () => {
    expect((await ask('PUT', '/jobs/talk', { maxRetries: 1 })).json.job.maxRetries).toBe(1);
    const { runId } = (await ask('POST', '/jobs/talk/runs', {})).json;
    await untilState(runId, /SUCCEEDED/);
  });

  it('are refused with the reason', async () => {
    const never = { schedule: { kind: 'cron', cron: '0 0 30 2 *' } };
    expect(await ask('PUT', '/jobs/x', never)).toMatchObject({
      status: 400,
      json: { code: 'invalid-schedule', detail: expect.stringContaining('never fires') },
    });
    expect((await ask('PUT', '/jobs/x', { target: { kind: 'http', url: 'ftp://x' } })).status).toBe(400);
    expect((await ask('PUT', '/jobs/x', { handler: 'x' })).status).toBe(400);
    expect((await ask('GET', '/jobs/x')).status).toBe(404);
  });

  it('show when a schedule would fire', async () => {
    const schedule = { kind: 'cron', cron: '30 2 * * *', zone: 'America/New_York' };
    const { json } = await ask('POST', '/schedules/preview', { schedule, afterMs: Date.UTC(2026, 2, 7, 12), count: 2 });
    expect(json.nextDueTimes).toMatchObject([
      { localTime: '2026-03-08T02:30:00', reason: expect.stringContaining('does not exist') },
      { localTime: '2026-03-09T02:30:00' },
    ]);
    expect(await ask('POST', '/schedules/preview', { schedule: { kind: 'cron', cron: 'x' } })).toMatchObject({
      status: 400,
      json: { code: 'invalid-schedule', field: 'cron' },
    });
  });
});

describe('workers and settings over HTTP', () => {
  it('are shown and changed', async () => {
    const { workers } = (await ask('GET', '/workers')).json;
    expect(workers[0]).toMatchObject({ state: 'ACTIVE' });
    expect((await ask('POST', '/workers/999999/drain')).status).toBe(404);
    expect((await ask('POST', '/workers/999999/detach')).status).toBe(404);
    const changed = await ask('POST', '/settings', { key: 'log_retention_days_db', value: 3, why: 'disk' });
    expect(changed.json.settings.log_retention_days_db).toBe(3);
    expect((await ask('GET', '/settings')).json.settings.log_retention_days_db).toBe(3);
    expect((await ask('POST', '/settings', { key: 'log_retention_days_db', value: -1 })).status).toBe(400);
    expect((await ask('POST', '/settings', { key: 'nothing', value: 1 })).status).toBe(400);
  });

  it('a leader is demoted and another leads', async () => {
    expect((await ask('POST', '/leader/demote', { why: 'test' })).json).toEqual({ demoted: true });
    const { entries } = (await ask('GET', '/audit?target=scheduler%2Fleader')).json;
    expect(entries[0]).toMatchObject({ actor: 'root', action: 'demote', why: 'test' });
  });

  it('a worker is drained', async () => {
    const { workers } = (await ask('GET', '/workers')).json;
    expect((await ask('POST', `/workers/${workers[0].id}/drain`)).json).toEqual({ changed: true });
    expect((await ask('GET', '/workers')).json.workers[0].state).toBe('DRAINING');
  });
});

it('every route of jobs has answered, and as the reference says', async () => {
  const [{ id }] = (await ask('GET', '/workers')).json.workers;
  expect((await ask('POST', `/workers/${id}/detach`)).status).toBe(200);
  for (const path of ['/guarantees', '/overview', '/run-counts', `/runs/1/refusals`]) {
    expect((await ask('GET', path)).status, path).toBe(200);
  }
  const matching = { action: 'cancel', filter: { job: 'talk', state: 'RUNNING' } };
  expect((await ask('POST', '/run-acts/count', matching)).json).toMatchObject({ applies: 0 });
  expect((await ask('POST', '/run-acts', { ...matching, expected: 0 })).json).toMatchObject({ done: 0 });
  // A run that is given out and not started lasts a moment; reassigning one is tested with the leader.
  const rare = ['POST /api/v1/runs/:id/reassign'];
  expect(Object.keys(jobDescriptions).filter((name) => !app.answered.has(name))).toEqual(rare);
});
