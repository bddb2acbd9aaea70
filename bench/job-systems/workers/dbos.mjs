// Durable workflows; the queue is polled. Enqueue in bulk through the entry for event receivers.
import { randomUUID } from 'node:crypto';
import { DBOS } from '@dbos-inc/dbos-sdk';
import { enqueueWorkflows, prepareEnqueuedWorkflow } from '@dbos-inc/dbos-sdk/eventreceiver';
import pg from 'pg';
import { sampleLatency } from './kannuki.mjs';

export async function openSystem({ url }) {
  let onStart = () => {};
  const noop = DBOS.registerWorkflow(async (i) => onStart(i), { name: 'noop' });
  DBOS.setConfig({
    name: 'bench',
    systemDatabaseUrl: url,
    systemDatabasePoolSize: 20,
    enableOTLP: false,
    logLevel: 'error',
    runAdminServer: false,
  });
  let launched = false;
  const launch = async (concurrency) => {
    if (launched) return;
    launched = true;
    await DBOS.launch();
    await DBOS.registerQueue('noop', {
      workerConcurrency: concurrency,
      minPollingIntervalMs: 1,
      onConflict: 'always_update',
    });
  };
  const client = new pg.Client(url);
  await client.connect();
  const succeeded = async () => {
    const { rows } = await client.query(`select count(*)::int as n from dbos.workflow_status where status = 'SUCCESS'`);
    return rows[0].n;
  };
  return {
    async enqueue(n, chunk = 5_000) {
      await launch(500);
      for (let from = 0; from < n; from += chunk) {
        const rows = await Promise.all(
          Array.from({ length: Math.min(chunk, n - from) }, (_, k) =>
            prepareEnqueuedWorkflow(noop, [from + k], { queueName: 'noop', workflowID: randomUUID() }),
          ),
        );
        await enqueueWorkflows(rows);
      }
    },
    settle: async () => {},
    // It takes from the queue as soon as it is launched: the clock runs from the first enqueue on.
    drainsWhileEnqueuing: true,
    async drain(n) {
      while ((await succeeded()) < n) await new Promise((resolve) => setTimeout(resolve, 20));
      return async () => {};
    },
    async latency(samples) {
      await launch(4);
      return sampleLatency(
        samples,
        (i) => DBOS.startWorkflow(noop, { queueName: 'noop' })(i),
        (listener) => {
          onStart = listener;
        },
      );
    },
    async close() {
      await DBOS.shutdown();
      await client.end();
    },
  };
}
