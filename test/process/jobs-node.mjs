// A process that works, or leads, or both, through the built package; it goes on until it is killed or told to end.
import { createJobs } from 'kannuki/jobs';
import { postgresDatabase } from 'kannuki/postgres';

const { url, role, pollMs = 50, concurrency = 8, logs = false } = JSON.parse(process.argv[2]);
const database = postgresDatabase({ connectionString: url, max: 4 });
const jobs = createJobs({ database, ...(!logs && { logs: false }) });
const backoff = { baseMs: 0, maxMs: 0 };
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Every execution leaves a row when it begins; the run itself tells how it ended. */
async function note({ run, startToken }) {
  await database.query({
    text: 'insert into public.executions (run_id, attempt, start_token, pid) values ($1, $2, $3, $4)',
    values: [run.id, run.attempt, startToken, process.pid],
  });
}

jobs.define({
  name: 'work',
  maxRetries: 1_000,
  backoff,
  timeoutSeconds: 60,
  async handler(context) {
    await note(context);
    await pause(5);
  },
});
jobs.define({ name: 'noop', backoff, handler: () => undefined });
jobs.define({ name: 'keyed', maxRetries: 1_000, backoff, timeoutSeconds: 60, handler: note });
jobs.define({
  name: 'tick',
  maxRetries: 1_000,
  backoff,
  catchUp: 'all',
  schedule: { kind: 'cron', cron: '* * * * * *' },
  handler: note,
});
jobs.define({
  name: 'block',
  maxRetries: 1,
  backoff,
  async handler(context) {
    await note(context);
    // Once only: its worker falls silent although its process lives.
    if (context.run.attempt === 1) for (const endMs = performance.now() + 6_000; performance.now() < endMs; );
  },
});
jobs.define({
  name: 'wait',
  backoff,
  handler: ({ signal, run }) =>
    new Promise((_, reject) => {
      process.send?.({ kind: 'waiting', value: run.id });
      signal.addEventListener('abort', () => {
        process.send?.({ kind: 'signalled', value: run.id });
        reject(signal.reason);
      });
    }),
});

// The database may be away when a process starts.
for (;;) {
  try {
    if (role !== 'worker') await jobs.startScheduler({ tickMs: 100, leaseTtlMs: 1_000 });
    if (role !== 'leader') await jobs.startWorker({ concurrency, heartbeatMs: 200, pollMs, graceMs: 200 });
    break;
  } catch {
    await pause(100);
  }
}
process.on('disconnect', () => process.exit(0));
process.on('message', async ({ command }) => {
  if (command === 'memory') process.send({ kind: 'memory', value: process.resourceUsage().maxRSS / 1024 });
  if (command !== 'end') return;
  await jobs.close();
  await database.close();
  process.disconnect();
});
process.send({ kind: 'ready' });
