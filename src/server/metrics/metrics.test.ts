import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SqlDatabase } from '../../core/ports.ts';
import { migrate } from '../../engine/migrate.ts';
import { pgliteDatabase, pgliteStore } from '../../stores/pglite/index.ts';
import { createJobs, type Jobs } from '../../systems/jobs/index.ts';
import { apiToken } from '../authenticate.ts';
import { createServerApp, type ServerApp } from '../create-server-app.ts';

const secret = 's'.repeat(64);

describe('metrics', () => {
  let database: SqlDatabase;
  let jobs: Jobs;
  let app: ServerApp;
  beforeAll(async () => {
    database = pgliteDatabase({ dir: 'memory' });
    const store = pgliteStore({ database });
    await migrate(database, store.schema?.migrations ?? []);
    jobs = createJobs({ database });
    jobs.define({ name: 'report' });
    await jobs.enqueue('report', {});
    await jobs.enqueue('report', {}, { scheduledFor: '2999-01-01T00:00:00Z' });
    await store.acquire({ key: 'deploy', owner: 'a.1', ttlMs: 60_000, line: true });
    await store.acquire({ key: 'deploy', owner: 'b.1', ttlMs: 60_000, line: true });
    app = createServerApp({
      store,
      jobs,
      auditDatabase: database,
      tokens: [apiToken({ name: 'prometheus', role: 'viewer', secret })],
    });
  });
  afterAll(async () => {
    await jobs.close();
    await database.close();
  });
  const get = (path: string, bearer = secret) =>
    app.fetch(new Request(`http://test${path}`, { headers: { authorization: `Bearer ${bearer}` } }));

  it('count requests by route and status, and read what the database knows', async () => {
    await get('/api/v1/runs/1');
    await get('/api/v1/runs/2');
    await get('/api/v1/runs/999');
    await get('/api/v1/runs/1', 'wrong');
    await get('/nowhere/at/all');
    expect((await get('/metrics', 'wrong')).status).toBe(401);
    const response = await get('/metrics');
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=/);
    const lines = (await response.text()).split('\n');
    const series = lines.filter((line) => !line.startsWith('#') && line !== '');
    for (const line of [
      'kannuki_http_requests_total{method="GET",route="/api/v1/runs/:id",status="200"} 2',
      'kannuki_http_requests_total{method="GET",route="/api/v1/runs/:id",status="404"} 1',
      'kannuki_http_requests_total{method="GET",route="/api/v1/runs/:id",status="401"} 1',
      'kannuki_http_requests_total{method="GET",route="none",status="404"} 1',
      'kannuki_http_request_duration_seconds_count{method="GET",route="/api/v1/runs/:id"} 4',
      'kannuki_leases_held 1',
      'kannuki_leases_waiting 1',
      'kannuki_job_runs{state="PENDING"} 2',
      'kannuki_job_leader_epoch 0',
      'kannuki_job_worker_load 0',
      'kannuki_database_up 1',
      'kannuki_http_waiting 0',
    ])
      expect(series).toContain(line);
    expect(series.some((line) => /^kannuki_job_queue_age_seconds \d/.test(line))).toBe(true);
    expect(series.some((line) => line.startsWith('process_resident_memory_bytes'))).toBe(true);
  });

  it('do not grow with what callers make up', async () => {
    const count = async () => (await (await get('/metrics')).text()).split('\n').length;
    await count();
    const before = await count();
    for (let i = 0; i < 200; i++) {
      await get(`/made/up/${i}`);
      await get(`/api/v1/jobs/made-up-${i}`);
      await app.fetch(new Request(`http://test/x${i}`, { method: `MADEUP${i}` }));
    }
    // One for the jobs' route, one for methods that are none; each with its buckets.
    expect((await count()) - before).toBeLessThan(60);
  });
});
