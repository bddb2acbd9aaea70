/** Definitions that show what a run can come to. They live in a queue of their own. */
import type { Clock } from '../../core/ports.ts';
import type { JobContext, Jobs } from '../../systems/jobs/index.ts';
import { pause } from './pause.ts';

export const demoQueue = 'demo';

/** Those that the clock starts: paused when the demo ends, since nobody is left to run them. */
export const scheduledDemoJobs = ['demo.hello', 'demo.report'] as const;

export function defineDemoJobs(jobs: Jobs, clock: Clock): void {
  const common = { queue: demoQueue, timeoutSeconds: 120 };
  jobs.define({
    ...common,
    name: 'demo.hello',
    schedule: { kind: 'every', minutes: 1 },
    handler({ log, run }) {
      log(`Hello. This is run ${run.id}; one is made every minute, by whoever leads.`);
      return { said: 'hello' };
    },
  });
  jobs.define({
    ...common,
    name: 'demo.report',
    // One at a time: while it is under way, a second waits for its turn.
    concurrency: 'forbid',
    schedule: { kind: 'every', minutes: 2 },
    handler: (context) => writeReport(context, clock),
  });
  jobs.define({
    ...common,
    name: 'demo.flaky',
    maxRetries: 5,
    backoff: { baseMs: 1_000, maxMs: 2_000 },
    handler({ log, run }) {
      log(`attempt ${run.attempt}`);
      if (run.attempt < 3) throw new Error(`The other side did not answer (attempt ${run.attempt}).`);
      return { attempts: run.attempt };
    },
  });
  jobs.define({
    ...common,
    name: 'demo.broken',
    maxRetries: 1,
    backoff: { baseMs: 1_000, maxMs: 1_000 },
    handler({ log }) {
      log('reading invoice 4711');
      throw new Error('Invoice 4711 has no customer.');
    },
  });
  jobs.define({
    ...common,
    name: 'demo.hang',
    maxRetries: 0,
    handler: ({ log, signal }) => hang(log, signal),
  });
}

async function writeReport({ log, progress, signal }: JobContext, clock: Clock): Promise<{ readonly pages: number }> {
  const pages = 20;
  for (let page = 1; page <= pages; page += 1) {
    await pause(clock, 300, signal);
    signal.throwIfAborted();
    progress(page / pages);
    log(`page ${page} of ${pages}`);
  }
  return { pages };
}

/** Ends when it is told to. */
function hang(log: (line: string) => void, signal: AbortSignal): Promise<never> {
  log('waiting for a reply that will not come');
  return new Promise((_, reject) => {
    signal.addEventListener(
      'abort',
      () => {
        log('told to stop');
        reject(signal.reason);
      },
      { once: true },
    );
  });
}
