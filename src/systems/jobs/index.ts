export { createJobs, type EmitOptions, type Job, type Jobs, type JobsOptions } from './create-jobs.ts';
export type {
  Enqueued,
  EnqueuedMany,
  EnqueueItem,
  EnqueueOptions,
  Instant,
  RunOptions,
} from './enqueue/enqueue-options.ts';
export { type CommandHandlerOptions, commandHandler } from './handlers/command-handler.ts';
export { type HttpHandlerOptions, httpHandler } from './handlers/http-handler.ts';
export type { JobDefinition } from './job-definition.ts';
export { JobError, type JobErrorCode } from './job-error.ts';
export type { JobContext, JobHandler, StartedRun } from './job-handler.ts';
export type { JobLogWriter } from './job-log-writer.ts';
export type { ActOptions, CancelOutcome, JobOperations, ReassignOutcome, RetryOutcome } from './job-operations.ts';
export type {
  AuditEntry,
  JobCancel,
  JobInfo,
  JobReader,
  JobRefusal,
  JobSlot,
  JobTransition,
  ListAuditOptions,
  ListRunsOptions,
  ListWorkersOptions,
  WorkerInfo,
} from './job-reader.ts';
export type { JobRun, JobTrigger } from './job-run.ts';
export { defaultJobSettings, type JobSettings } from './job-settings.ts';
export { isEndJobState, type JobEndState, type JobState, jobTransitions } from './job-state.ts';
export { type JobsEffectQueueOptions, jobsEffectQueue } from './jobs-effect-queue.ts';
export type { ArchiveLogsReport } from './logs/archive-logs.ts';
export { type FolderArchiveOptions, folderArchive } from './logs/folder-archive.ts';
export type { LogArchive } from './logs/log-archive.ts';
export { formatLogPlace, type LogLine, type LogPlace, parseLogPlace } from './logs/log-line.ts';
export type { LogPage } from './logs/read-log.ts';
export { type S3ArchiveOptions, s3Archive } from './logs/s3-archive.ts';
export { jobMigrations } from './migrations/job-migrations.ts';
export type { BulkAction, BulkActs, BulkOptions, BulkOutcome, MatchCount } from './reading/bulk-act.ts';
export type { Guarantees, Invariant, InvariantName } from './reading/check-invariants.ts';
export type { RunBucket, RunCounts } from './reading/count-runs.ts';
export type { FailingJob, HandledCounts, JobsOverview, LeaderEpoch, OverviewPart } from './reading/read-overview.ts';
export type { PayloadMatch, RunFilter } from './reading/run-filter.ts';
export type { JobsIoRedis, JobsNodeRedis, JobsRedisClient } from './redis/jobs-redis-client.ts';
export { checkSchedule, type ScheduleCheck } from './schedule/check-schedule.ts';
export { nextDueTimes } from './schedule/next-due-times.ts';
export type { Occurrence } from './schedule/occurrences.ts';
export type {
  CronSchedule,
  DailySchedule,
  DstPolicy,
  EverySchedule,
  OnceSchedule,
  Schedule,
} from './schedule/schedule.ts';
export type { JobScheduler, SchedulerOptions } from './scheduler/start-scheduler.ts';
export type { SqlTransaction } from './sql-transaction.ts';
export type { StandardSchema } from './standard-schema.ts';
export { hideTargetSecrets } from './targets/hide-target-secrets.ts';
export type { CommandTarget, HttpTarget, JobTarget, TargetPolicy } from './targets/job-target.ts';
export { createJobTester, type JobTester } from './testing/job-tester.ts';
export type { JobWorker, StopOptions, WorkerOptions } from './worker/worker-options.ts';
