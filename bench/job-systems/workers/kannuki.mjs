// The whole product path: payloads checked by a schema, logs wired, every fence and the history on.

import { pgliteDatabase } from '../../../dist/stores/pglite/index.js';
import { postgresDatabase } from '../../../dist/stores/postgres/index.js';
import { createJobs } from '../../../dist/systems/jobs/index.js';

const schema = {
  '~standard': {
    version: 1,
    vendor: 'bench',
    validate: (value) =>
      typeof value?.i === 'number' ? { value } : { issues: [{ message: 'i must be a number', path: ['i'] }] },
  },
};

export async function openSystem({ url, pglite, keyed, ownOptions, historyRows }) {
  const database = pglite ? pgliteDatabase({ dir: 'memory' }) : postgresDatabase({ connectionString: url });
  const jobs = createJobs({ database });
  let onStart = () => {};
  let rowsHeld = 0;
  jobs.define({ name: 'noop', schema, maxRetries: 0, handler: async (context) => onStart(context.payload) });
  await jobs.ready();
  if (historyRows) await fillHistory(url, historyRows);
  const unfinished = async () =>
    (await database.query({ text: 'select 1 from kannuki.job_runs limit 1' })).rows.length > 0;
  return {
    async enqueue(n, chunk = 10_000) {
      for (let from = 0; from < n; from += chunk) {
        const items = Array.from({ length: Math.min(chunk, n - from) }, (_, k) => ({
          job: 'noop',
          payload: { i: from + k },
          ...(keyed && { idempotencyKey: `k:${from + k}` }),
          ...(ownOptions && { priority: k % 3 }),
        }));
        await jobs.enqueueMany(items);
      }
    },
    settle: async () => {
      await database.query({ text: 'vacuum analyze kannuki.job_runs' });
      await database.query({ text: 'checkpoint' });
    },
    async drain(n) {
      let started = 0;
      let done;
      const all = new Promise((resolve) => {
        done = resolve;
      });
      onStart = () => {
        if (++started === n) done();
      };
      const worker = await jobs.startWorker({ concurrency: 500 });
      const watch = setInterval(() => {
        rowsHeld = Math.max(rowsHeld, worker.active);
      }, 1);
      await all;
      clearInterval(watch);
      while (await unfinished()) await new Promise((resolve) => setTimeout(resolve, 1));
      return () => worker.stop();
    },
    /** The most rows that it held at once: what a kill -9 strands. */
    rowsHeld: () => rowsHeld,
    async latency(samples) {
      const worker = await jobs.startWorker({ concurrency: 4 });
      const times = await sampleLatency(
        samples,
        (i) => jobs.enqueue('noop', { i }),
        (tell) => {
          onStart = tell;
        },
      );
      await worker.stop();
      return times;
    },
    async close() {
      await jobs.close();
      await database.close();
    },
  };
}

/** Ended runs as the finishing statement leaves them. The key is made afterwards: that is quicker. */
async function fillHistory(url, rows) {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (const text of [
    `set maintenance_work_mem = '512MB'`,
    'set synchronous_commit = off',
    'alter table kannuki.job_run_history drop constraint job_run_history_pkey',
    `insert into kannuki.job_run_history (id, scheduled_for, created_at, leader_epoch, assigned_worker_id, assigned_at,
  started_at, start_token, finished_at, job_definition_id, version, queue_id, priority, attempt, trigger, state, payload)
select g, now(), now(), 1, 1, now(), now(), g, now(), 1, 4, 1, 0, 1, 0, 'SUCCEEDED', '{"i":1}' from generate_series(1, ${rows}) g`,
    'alter table kannuki.job_run_history add constraint job_run_history_pkey primary key (id)',
    `select setval(pg_get_serial_sequence('kannuki.job_runs', 'id'), ${rows})`,
    'vacuum analyze kannuki.job_run_history',
    'checkpoint',
  ])
    await client.query(text);
  await client.end();
}

export async function sampleLatency(samples, send, listen) {
  const times = [];
  let tell = () => {};
  listen(() => tell());
  // Ten for warming up.
  for (let i = 0; i < samples + 10; i++) {
    // Each one finds an idle worker.
    await new Promise((resolve) => setTimeout(resolve, 4));
    const started = new Promise((resolve) => {
      tell = () => resolve(performance.now());
    });
    const sent = performance.now();
    const [at] = await Promise.all([started, send(i)]);
    if (i >= 10) times.push(at - sent);
  }
  return times;
}
