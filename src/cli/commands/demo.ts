/**
 * `kannuki demo`: living examples in the database of `serve`, run by a worker of its own until it is interrupted. What
 * it leaves behind is history; what the clock would start again is paused.
 */
import { resolve } from 'node:path';
import { migrate } from '../../engine/migrate.ts';
import { createJobs, type Jobs } from '../../systems/jobs/index.ts';
import type { CliContext } from '../cli-context.ts';
import { dataDirOf, openServerDatabase } from '../compose.ts';
import { createLogger } from '../create-logger.ts';
import { bookAsCustomers } from '../demo/book-as-customers.ts';
import { contendForLeases, demoLeases } from '../demo/contend-for-leases.ts';
import { defineDemoAnalysis } from '../demo/demo-analysis.ts';
import { defineDemoJobs, demoQueue, scheduledDemoJobs } from '../demo/demo-jobs.ts';
import { pause } from '../demo/pause.ts';
import { exitCodes } from '../exit-codes.ts';
import { readDuration } from '../options.ts';
import { listenForStop } from '../stop-signal.ts';

export interface DemoOptions {
  readonly data?: string;
  readonly url?: string;
  readonly for?: string;
  readonly json?: boolean;
}

const durationBounds = { minMs: 1_000, maxMs: 86_400_000 };
const by = 'kannuki demo';

export async function demo(context: CliContext, options: DemoOptions): Promise<number> {
  const { messages, env, platform } = context;
  const { clock } = platform;
  const forMs = options.for === undefined ? undefined : readDuration('--for', options.for, durationBounds, messages);
  const url = (options.url ?? (env.KANNUKI_URL || 'http://127.0.0.1:4010')).replace(/\/+$/, '');
  const stop = listenForStop();
  const ending = new AbortController();
  const server = await openServerDatabase(context, resolve(dataDirOf(options.data, env)), createLogger('warn'));
  const jobs = createJobs({ database: server.database, platform, migrate: false });
  try {
    await migrate(server.database, server.migrations);
    defineDemoJobs(jobs, clock);
    const analysis = defineDemoAnalysis(jobs, server.database, platform);
    await jobs.ready();
    for (const name of scheduledDemoJobs) await jobs.pauseJob(name, false, { by });
    await jobs.startScheduler();
    await jobs.startWorker({ queues: [demoQueue], concurrency: 8 });
    const contention = contendForLeases(server.store, platform);
    try {
      const runs = await makeRuns(jobs);
      const analysisId = await analysis.deliverTwice();
      const served = await answers(url);
      const bookings = served ? await bookAsCustomers(url, platform.random) : undefined;
      if (options.json) context.print(JSON.stringify({ url, runs, analysisId, bookings, leases: demoLeases }));
      else {
        for (const line of messages.demoTour(url, runs)) context.print(line);
        if (bookings) for (const line of messages.demoBookings(url, bookings)) context.print(line);
      }
      if (!served) context.say(messages.demoNoServer(url));
      const cancelling = cancelHanging(jobs, runs.hang, clock);
      if (!options.json) context.say(messages.demoGoesOn);
      await (forMs === undefined ? stop.stopped : Promise.race([stop.stopped, pause(clock, forMs, ending.signal)]));
      ending.abort();
      cancelling.stop();
    } finally {
      for (const name of scheduledDemoJobs) await jobs.pauseJob(name, true, { by, why: 'the demo has ended' });
      await contention.stop();
      await analysis.close();
    }
  } finally {
    await jobs.close();
    await server.close();
    stop.forget();
  }
  if (!options.json) context.say(messages.demoEnded);
  return exitCodes.ok;
}

export interface DemoRuns {
  readonly hello: number;
  readonly report: number;
  readonly flaky: number;
  readonly broken: number;
  readonly hang: number;
}

async function makeRuns(jobs: Jobs): Promise<DemoRuns> {
  const make = async (name: string): Promise<number> => (await jobs.enqueue(name)).runId;
  return {
    hello: await make('demo.hello'),
    report: await make('demo.report'),
    flaky: await make('demo.flaky'),
    broken: await make('demo.broken'),
    hang: await make('demo.hang'),
  };
}

/** Gives the reader a few seconds to see it hang. */
const hangMs = 5_000;

function cancelHanging(jobs: Jobs, runId: number, clock: CliContext['platform']['clock']): { stop(): void } {
  const timer = clock.after(hangMs, () => {
    // If it cannot be cancelled now, its time-out ends it.
    jobs.cancel(runId, { by, why: 'it has been hanging for 5 seconds' }).catch(() => undefined);
  });
  return { stop: () => timer.cancel() };
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/healthz`)).ok;
  } catch {
    return false;
  }
}
