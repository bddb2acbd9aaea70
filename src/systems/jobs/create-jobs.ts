/**
 * Job runs on a PostgreSQL dialect database. Whatever partitions, double leaders and retries do, a run is never
 * RUNNING twice and its history is never overwritten: every change is one statement that names what it expects (id,
 * version, state, worker, attempt, epoch). See docs/jobs.md, and docs/internals/jobs.md for the bound.
 */
import { platform as defaultPlatform } from '#platform';
import type { Logger, Platform, SqlDatabase, SqlExecutor } from '../../core/ports.ts';
import { createLeases, type Leases } from '../../engine/lease-keeper.ts';
import { migrate } from '../../engine/migrate.ts';
import { leaseMigrations } from '../../sql/lease-migrations.ts';
import { sqlLeaseStore } from '../../sql/sql-lease-store.ts';
import { createDefinitionRegistry } from './definition-registry.ts';
import type { Enqueued, EnqueuedMany, EnqueueItem, EnqueueOptions } from './enqueue/enqueue-options.ts';
import { createEnqueuer } from './enqueue/enqueuer.ts';
import { payloadJson } from './enqueue/payload-json.ts';
import type { JobDefinition } from './job-definition.ts';
import { checkName } from './job-definition.ts';
import { JobError } from './job-error.ts';
import type { JobHandler } from './job-handler.ts';
import type { JobLogWriter } from './job-log-writer.ts';
import { createJobOperations, type JobOperations } from './job-operations.ts';
import { createJobReader, type JobReader } from './job-reader.ts';
import { defaultJobSettings, type JobSettings, readJobSettings } from './job-settings.ts';
import type { JobsContext } from './jobs-context.ts';
import { type ArchiveLogsReport, archiveLogs } from './logs/archive-logs.ts';
import type { LogArchive } from './logs/log-archive.ts';
import { type LogKeeper, startLogKeeper } from './logs/log-keeper.ts';
import { createLogWriter } from './logs/log-writer.ts';
import { jobMigrations } from './migrations/job-migrations.ts';
import { createNoticeLine } from './notice-line.ts';
import { type BulkActs, createBulkActs } from './reading/bulk-act.ts';
import type { JobsRedisClient } from './redis/jobs-redis-client.ts';
import { createRedisPulse } from './redis/redis-pulse.ts';
import { type JobScheduler, type SchedulerOptions, startScheduler } from './scheduler/start-scheduler.ts';
import { jobStatements } from './sql/job-statements.ts';
import { openSqlTransaction, type SqlTransaction } from './sql-transaction.ts';
import type { StandardSchema } from './standard-schema.ts';
import { followTargets } from './targets/follow-targets.ts';
import { startWorker } from './worker/start-worker.ts';
import type { JobWorker, WorkerOptions } from './worker/worker-options.ts';

export interface JobsOptions {
  /** Where everything is kept. It stays open when these jobs are closed. */
  readonly database: SqlDatabase;
  /** Leases for the leadership. @default leases in the same database */
  readonly leases?: Leases;
  /** Create or update the tables before first use. @default true */
  readonly migrate?: boolean;
  /** Where handlers' lines go; `false`: nowhere. @default the database */
  readonly logs?: JobLogWriter | false;
  /** Where old logs go, by the setting `log_retention_days_db`, while a scheduler of these jobs leads. @default nowhere */
  readonly logArchive?: LogArchive;
  /**
   * A client of `ioredis` or `redis`, for heartbeats and short leases: the database is written less often. It stays
   * yours, and may be away at any time. @default the database alone
   */
  readonly redis?: JobsRedisClient;
  /** Before all keys in Redis. Restored copies of one database need one each. @default 'kannuki:jobs:' */
  readonly redisPrefix?: string;
  /** @default nobody is told */
  readonly logger?: Logger;
  /** Clock, chance and names. @default the platform's */
  readonly platform?: Platform;
}

/** A job that was defined, typed by its schema. */
export interface Job<Input> {
  readonly name: string;
  enqueue(payload: Input, options?: EnqueueOptions): Promise<Enqueued>;
}

export interface EmitOptions {
  /** An event with a key seen before changes nothing. 1 to 500 characters. */
  readonly dedupeKey?: string;
  /** Your transaction: the event exists if and only if it commits. */
  readonly tx?: SqlTransaction;
}

export interface Jobs extends AsyncDisposable, BulkActs, JobOperations {
  /** Says what a job is. Nothing is sent yet; a mistake in it throws here. */
  define<Input, Output>(
    definition: JobDefinition<Input, Output> & { readonly schema: StandardSchema<Input, Output> },
  ): Job<Input>;
  define<Payload = unknown>(
    definition: Omit<JobDefinition<Payload>, 'schema' | 'handler'> & { readonly handler?: JobHandler<Payload> },
  ): Job<Payload>;
  /** One run. Throws `unknown-job`, `invalid-payload` or `invalid-argument`; then nothing was stored. */
  enqueue(job: string, payload?: unknown, options?: EnqueueOptions): Promise<Enqueued>;
  /**
   * Many runs in one trip (20,000 to a statement). Outside a transaction of yours a statement is all or nothing, a
   * second one is not undone by a third that fails.
   */
  enqueueMany(items: readonly EnqueueItem[], options?: Pick<EnqueueOptions, 'tx'>): Promise<EnqueuedMany>;
  /** Something happened: every job with `on: name` gets a run, once per dedupe key. False: the key was seen before. */
  emit(name: string, payload?: unknown, options?: EmitOptions): Promise<boolean>;
  /** Executes runs in this process. */
  startWorker(options?: WorkerOptions): Promise<JobWorker>;
  /** Leads when it can: due times, events, gated runs, rescue. */
  startScheduler(options?: SchedulerOptions): Promise<JobScheduler>;
  readonly read: JobReader;
  /** Moves old logs to the archive now. Without an archive it does nothing. */
  archiveLogs(options?: { readonly signal?: AbortSignal }): Promise<ArchiveLogsReport>;
  /** As they are in force. */
  settings(): Promise<JobSettings>;
  /** Stores what was defined, and creates the tables. Everything else does this by itself. */
  ready(): Promise<void>;
  /** Stops the workers and schedulers that were started here. */
  close(): Promise<void>;
}

const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} };

export function createJobs(options: JobsOptions): Jobs {
  const { database, platform = defaultPlatform, logger = silent } = options;
  const statements = jobStatements(database.schema);
  const definitions = createDefinitionRegistry(database, statements);
  const leases = options.leases ?? createLeases({ store: leaseStoreOf(database), platform });
  const logs = options.logs ?? createLogWriter({ database, logger, clock: platform.clock });
  const notices = createNoticeLine(database, platform.clock, logger);
  const workers = new Set<JobWorker>();
  const schedulers = new Set<JobScheduler>();
  let settings = defaultJobSettings;
  let closed = false;
  let migrated: Promise<unknown> | undefined;

  const context: JobsContext = {
    database,
    statements,
    platform,
    logger,
    definitions,
    notices,
    logs: logs === false ? undefined : logs,
    pulse:
      options.redis &&
      createRedisPulse({
        client: options.redis,
        prefix: options.redisPrefix ?? 'kannuki:jobs:',
        database,
        clock: platform.clock,
        logger,
      }),
    settings: () => settings,
    async refreshSettings() {
      settings = await readJobSettings(database, database.schema);
      return settings;
    },
  };

  async function ready(): Promise<void> {
    if (closed) throw new JobError('These jobs were closed.', { code: 'closed' });
    migrated ??= options.migrate === false ? Promise.resolve() : migrate(database, [leaseMigrations, jobMigrations]);
    try {
      await migrated;
    } catch (error) {
      migrated = undefined; // The next call tries again.
      throw error;
    }
    await definitions.store();
  }

  const enqueuer = createEnqueuer(context, ready);
  const operations = createJobOperations({ context, leases, leasesAreHere: !options.leases, ready });
  const isLeading = (): boolean => [...schedulers].some((scheduler) => scheduler.leading);
  let hearing: Promise<unknown> | undefined;
  /** Only those who work or lead listen: a process that enqueues needs no connection for it. */
  const hearSettings = (): Promise<unknown> => {
    hearing ??= notices.subscribe((notice) => {
      if (notice.kind === 'settings') context.refreshSettings().catch(() => undefined);
    });
    return hearing;
  };

  let logKeeper: LogKeeper | undefined;
  async function archiveOldLogs(archiveOptions: { readonly signal?: AbortSignal } = {}): Promise<ArchiveLogsReport> {
    await ready();
    const { logArchive: archive } = options;
    if (!archive) return { archived: 0, lines: 0, bytes: 0, failed: 0, more: false };
    const { log_retention_days_db: days } = await context.refreshSettings();
    return archiveLogs({ database, archive, retentionSeconds: days * 86_400, logger, ...archiveOptions });
  }

  async function close(): Promise<void> {
    // Leadership first: another leads while our handlers end.
    await logKeeper?.stop();
    await Promise.all([...schedulers].map((scheduler) => scheduler.stop()));
    await Promise.all([...workers].map((worker) => worker.stop()));
    closed = true;
    if (!options.leases) await leases.close();
    await notices.close();
    if (!options.logs && logs) await logs.close();
  }
  let closing: Promise<void> | undefined;

  const jobs: Jobs = {
    ...operations,
    ...createBulkActs(database, operations, ready),
    define(definition: unknown): Job<never> {
      const given = definition as JobDefinition;
      definitions.add(given);
      return {
        name: given.name,
        enqueue: (payload, enqueueOptions = {}) => enqueuer.one(given.name, payload, enqueueOptions),
      };
    },
    enqueue: (job, payload, enqueueOptions = {}) => enqueuer.one(job, payload, enqueueOptions),
    enqueueMany: (items, enqueueOptions = {}) => enqueuer.many(items, enqueueOptions),
    async emit(name, payload, { dedupeKey, tx } = {}) {
      checkName(name, 'event');
      await ready();
      const on: SqlExecutor = tx === undefined ? database : openSqlTransaction(tx);
      const { rows } = await on.query(statements.emitEvent(name, payloadJson(payload, name), dedupeKey ?? null));
      return rows.length === 1;
    },
    async startWorker(workerOptions = {}) {
      await ready();
      await hearSettings();
      await context.refreshSettings();
      const start = (): Promise<JobWorker> => startWorker({ context, options: workerOptions, isLeading });
      const { targets } = workerOptions;
      const worker = targets ? await followTargets({ context, policy: targets, start }) : await start();
      workers.add(worker);
      return worker;
    },
    async startScheduler(schedulerOptions = {}) {
      await ready();
      await hearSettings();
      const scheduler = await startScheduler({ context, leases, options: schedulerOptions });
      schedulers.add(scheduler);
      logKeeper ??= startLogKeeper({ clock: platform.clock, logger, isLeading, archive: archiveOldLogs });
      return scheduler;
    },
    archiveLogs: archiveOldLogs,
    read: createJobReader(database, ready, options.logArchive, platform.clock),
    async settings() {
      await ready();
      return context.refreshSettings();
    },
    ready,
    close() {
      closing ??= close();
      return closing;
    },
    async [Symbol.asyncDispose]() {
      await jobs.close();
    },
  };
  return jobs;
}

/** The database's own leases: the statements are those of the SQL stores, only the driver is yours. */
function leaseStoreOf(database: SqlDatabase & { readonly renewals?: SqlExecutor }): ReturnType<typeof sqlLeaseStore> {
  return sqlLeaseStore({
    database,
    name: 'jobs',
    capabilities: {
      line: database.capabilities.listen || { no: 'Without LISTEN nobody can be told; waiters poll.' },
      shared: true,
      counted: true,
      several: true,
      fences: true,
      durable: true,
      network: database.capabilities.concurrent || { no: 'The database has one connection, in this process.' },
    },
    ...(database.renewals && { renewals: database.renewals }),
  });
}
