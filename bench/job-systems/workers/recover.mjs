// A worker that says when a handler starts and when its signal fires: recover.mjs <JSON>. One line of JSON per event.

import { postgresDatabase } from '../../../dist/stores/postgres/index.js';
import { createJobs } from '../../../dist/systems/jobs/index.js';

const { system, url, redisPort, holds } = JSON.parse(process.argv[2]);
const say = (event) => process.stdout.write(`${JSON.stringify({ event, atMs: Date.now() })}\n`);
const forever = (signal) =>
  new Promise((_, reject) =>
    signal?.addEventListener('abort', () => {
      say('signal');
      reject(signal.reason);
    }),
  );

if (system === 'kannuki') {
  const database = postgresDatabase({ connectionString: url });
  const jobs = createJobs({ database });
  jobs.define({
    name: 'victim',
    maxRetries: 10,
    backoff: { baseMs: 0, maxMs: 0 },
    handler: ({ signal }) => {
      say('started');
      return holds ? forever(signal) : undefined;
    },
  });
  await jobs.setSetting('worker_silent_after_seconds', 3);
  await jobs.startScheduler({ leaseTtlMs: 3_000 });
  // Both take runs, whoever leads.
  await jobs.startWorker({ workWhileLeading: true });
}
if (system === 'pg-boss') {
  const { PgBoss } = await import('pg-boss');
  const boss = new PgBoss({ connectionString: url, monitorIntervalSeconds: 1, superviseIntervalSeconds: 1 });
  boss.on('error', () => {});
  await boss.start();
  // Ten seconds is the least it allows.
  await boss.createQueue('victim', { heartbeatSeconds: 10, retryLimit: 10, retryDelay: 0 });
  await boss.work('victim', { pollingIntervalSeconds: 0.5 }, async ([job]) => {
    say('started');
    if (holds) await forever(job?.signal);
  });
}
if (system === 'bullmq') {
  const { Worker } = await import('bullmq');
  const connection = { host: '127.0.0.1', port: redisPort, maxRetriesPerRequest: null };
  // Its defaults are 30 s each; here what corresponds to our three seconds.
  const worker = new Worker(
    'victim',
    async () => {
      say('started');
      if (holds) await forever();
    },
    { connection, lockDuration: 3_000, stalledInterval: 1_000, maxStalledCount: 10 },
  );
  await worker.waitUntilReady();
}
say('ready');
