/**
 * `kannuki worker`: takes runs from the database that DATABASE_URL names, or from the private one in the data folder,
 * and leads when nobody else does. Any number of them, on any number of machines, share the work. It stops cleanly on
 * SIGINT or SIGTERM: what runs has half a minute to end.
 */
import { resolve } from 'node:path';
import type { Jobs } from '../../systems/jobs/index.ts';
import { checkDataDir, checkEnvironment } from '../check-environment.ts';
import type { CliContext } from '../cli-context.ts';
import { dataDirOf, openServerDatabase, type ServerDatabase } from '../compose.ts';
import { createLogger } from '../create-logger.ts';
import { exitCodes } from '../exit-codes.ts';
import type { LogLevel } from '../log-level.ts';
import { type JobsCommandOptions, openJobs, startJobs } from '../open-jobs.ts';
import { listenForStop } from '../stop-signal.ts';

export interface WorkerCommandOptions extends JobsCommandOptions {
  readonly data?: string;
  readonly logLevel: LogLevel;
  readonly json?: boolean;
}

export async function runWorker(context: CliContext, options: WorkerCommandOptions): Promise<number> {
  checkEnvironment(context);
  const dataDir = resolve(dataDirOf(options.data, context.env));
  checkDataDir(context, dataDir);
  const logger = createLogger(options.logLevel, { env: context.env });
  const stop = listenForStop();
  let server: ServerDatabase | undefined;
  let jobs: Jobs | undefined;
  try {
    server = await openServerDatabase(context, dataDir, logger);
    jobs = await openJobs(context, { server, dataDir, logger, options });
    const worker = await startJobs(context, jobs, options);
    if (options.json) context.print(JSON.stringify({ worker: worker.id, engine: server.engine, pid: process.pid }));
    else context.print(context.messages.working(worker.id));
    await stop.stopped;
    logger.info('stopping');
  } finally {
    await jobs?.close();
    await server?.close();
    stop.forget();
  }
  if (!options.json) context.say(context.messages.stopped);
  return exitCodes.ok;
}
