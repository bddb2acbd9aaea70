// Rows are deleted on success. Enqueue by the SQL function, which returns nothing; local queue and batched completion on.
import { Logger, makeWorkerUtils, run, runOnce } from 'graphile-worker';
import pg from 'pg';
import { sampleLatency } from './kannuki.mjs';

const logger = new Logger(() => () => {});

export async function openSystem({ url, localQueue = 5_000, keyed, ownOptions }) {
  const utils = await makeWorkerUtils({ connectionString: url, logger });
  await utils.migrate();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return {
    async enqueue(n, chunk = 10_000) {
      for (let from = 0; from < n; from += chunk) {
        const specs = Array.from({ length: Math.min(chunk, n - from) }, (_, k) => ({
          identifier: 'noop',
          payload: { i: from + k },
          ...(keyed && { jobKey: `k:${from + k}` }),
          ...(ownOptions && { priority: k % 3 }),
        }));
        await client.query({
          name: 'add_jobs',
          text: `select from graphile_worker.add_jobs(array(
  select json_populate_record(null::graphile_worker.job_spec, value) from json_array_elements($1::json)))`,
          values: [JSON.stringify(specs.map(({ jobKey, ...rest }) => ({ ...rest, job_key: jobKey })))],
        });
      }
    },
    rowsHeld: () => localQueue,
    settle: async () => {
      await client.query('vacuum analyze graphile_worker._private_jobs');
      await client.query('checkpoint');
    },
    async drain() {
      await runOnce({
        preset: {
          worker: {
            connectionString: url,
            logger,
            concurrentJobs: 24,
            maxPoolSize: 25,
            localQueue: { size: localQueue, refetchDelay: { durationMs: 10 } },
            completeJobBatchDelay: 0,
            failJobBatchDelay: 0,
          },
        },
        taskList: { noop: async () => {} },
      });
      const { rows } = await client.query('select 1 from graphile_worker._private_jobs limit 1');
      if (rows.length > 0) throw new Error('Some jobs were left.');
      return async () => {};
    },
    async latency(samples) {
      let tell = () => {};
      const runner = await run({
        preset: {
          worker: {
            connectionString: url,
            logger,
            concurrentJobs: 4,
            localQueue: { size: -1 },
            completeJobBatchDelay: 0,
          },
        },
        taskList: { noop: async () => tell() },
        noHandleSignals: true,
      });
      const send = (i) =>
        client.query({
          name: 'add_job',
          text: `select from graphile_worker.add_job('noop', $1::json)`,
          values: [JSON.stringify({ i })],
        });
      const times = await sampleLatency(samples, send, (listener) => {
        tell = listener;
      });
      await runner.stop();
      return times;
    },
    async close() {
      await client.end();
      await utils.release();
    },
  };
}
