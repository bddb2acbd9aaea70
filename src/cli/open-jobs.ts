/** Jobs as `serve` and `worker` run them: definitions of the configuration, a worker, a candidate for leadership, an archive. */
import { join } from 'node:path';
import type { Logger } from '../core/ports.ts';
import {
  createJobs,
  folderArchive,
  JobError,
  type Jobs,
  type JobWorker,
  type LogArchive,
  s3Archive,
  type TargetPolicy,
} from '../systems/jobs/index.ts';
import { traceRuns } from '../tracing/index.ts';
import type { CliContext } from './cli-context.ts';
import { CliError } from './cli-error.ts';
import type { ServerDatabase } from './compose.ts';
import { exitCodes } from './exit-codes.ts';
import { openJobsRedis } from './open-jobs-redis.ts';
import { readCount } from './options.ts';
import { readConfig } from './read-config.ts';

export interface JobsCommandOptions {
  readonly config?: string;
  readonly queues?: string;
  readonly concurrency?: string;
  readonly commands?: boolean;
  readonly targets?: string;
}

export interface OpenJobsOptions {
  readonly server: ServerDatabase;
  readonly dataDir: string;
  readonly logger: Logger;
  readonly options: JobsCommandOptions;
}

export async function openJobs(context: CliContext, open: OpenJobsOptions): Promise<Jobs> {
  const { server, dataDir, logger, options } = open;
  const { env, platform } = context;
  const config = await readConfig(context, options.config);
  const logArchive = archiveOf(context, dataDir, env.DATABASE_URL === undefined);
  const redis = env.REDIS_URL ? await openJobsRedis(env.REDIS_URL, context.messages) : undefined;
  const own = createJobs({
    database: server.database,
    platform,
    logger,
    ...(logArchive && { logArchive }),
    ...(redis && { redis: redis.client }),
  });
  const jobs: Jobs = {
    ...own,
    async close() {
      await own.close();
      redis?.end();
    },
  };
  try {
    for (const definition of config.jobs ?? []) jobs.define(definition as never);
    await jobs.ready();
    return jobs;
  } catch (error) {
    await jobs.close();
    if (!(error instanceof JobError) || !error.code.startsWith('invalid-')) throw error;
    throw new CliError(
      context.messages.badConfig(options.config ?? 'kannuki.config.js', error.message),
      exitCodes.usage,
      {
        cause: error,
      },
    );
  }
}

/** After a crash of the leader nobody leads for so long: with it, work goes on within ten seconds. */
const leadershipMs = 6_000;

export async function startJobs(
  context: CliContext,
  jobs: Jobs,
  { concurrency, queues, commands, targets }: JobsCommandOptions,
): Promise<JobWorker> {
  const { env, messages } = context;
  const allow = listOf(targets ?? env.KANNUKI_ALLOW_TARGETS);
  const policy: TargetPolicy = { commands: commands ?? env.KANNUKI_ALLOW_COMMANDS === '1', allow };
  await jobs.startScheduler({ leaseTtlMs: leadershipMs });
  return jobs.startWorker({
    targets: policy,
    around: traceRuns,
    ...(concurrency !== undefined && { concurrency: readCount('--concurrency', concurrency, messages) }),
    ...(queues !== undefined && { queues: listOf(queues) }),
  });
}

/** S3_BUCKET names a bucket, KANNUKI_LOG_ARCHIVE a folder; a private database has one beside it. */
function archiveOf({ env, messages }: CliContext, dataDir: string, isPrivate: boolean): LogArchive | undefined {
  const { S3_BUCKET: bucket, S3_ACCESS_KEY_ID: key, S3_SECRET_ACCESS_KEY: secret } = env;
  if (bucket) {
    if (Boolean(key) !== Boolean(secret)) {
      const names = ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const;
      const [given, missing] = key ? names : ([names[1], names[0]] as const);
      throw new CliError(messages.halfConfigured(given, missing), exitCodes.usage);
    }
    return s3Archive({
      bucket,
      ...(env.S3_PREFIX && { prefix: env.S3_PREFIX }),
      ...(env.S3_REGION && { region: env.S3_REGION }),
      ...(env.S3_ENDPOINT && { endpoint: env.S3_ENDPOINT }),
      ...(key && secret && { credentials: { accessKeyId: key, secretAccessKey: secret } }),
    });
  }
  if (env.KANNUKI_LOG_ARCHIVE) return folderArchive({ dir: env.KANNUKI_LOG_ARCHIVE });
  return isPrivate ? folderArchive({ dir: join(dataDir, 'logs') }) : undefined;
}

function listOf(text: string | undefined): readonly string[] {
  return (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
