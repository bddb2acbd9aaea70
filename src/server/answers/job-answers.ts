/** What the routes of jobs answer. Times are milliseconds since 1970 by the database's clock. */
import { z } from 'zod';
import {
  type AuditEntry,
  defaultJobSettings,
  type Enqueued,
  type JobInfo,
  type JobRun,
  type JobSettings,
  type JobState,
  jobTransitions,
  type Occurrence,
} from '../../systems/jobs/index.ts';
import {
  type AuditReply,
  type JobReply,
  jobTarget,
  type ListJobsReply,
  type ListRunsReply,
  type LogReply,
  type PreviewReply,
  type RunReply,
  type SettingsReply,
  type SlotsReply,
  schedule,
  type WorkersReply,
} from '../job-contract.ts';
import { nextCursor } from '../paging/page-query.ts';

const ms = z.number();
const state = z.enum(jobTransitions.states as [JobState, ...JobState[]]);

const job: z.ZodType<JobInfo> = z.object({
  name: z.string(),
  queue: z.string(),
  paused: z.boolean(),
  queuePaused: z.boolean(),
  schedule: schedule.nullable(),
  nextDueAtMs: ms.nullable(),
  schedulePayload: z.unknown(),
  event: z.string().nullable(),
  target: jobTarget.nullable(),
  concurrency: z.enum(['allow', 'forbid', 'replace']),
  priority: z.int(),
  timeoutSeconds: z.number(),
  maxRetries: z.int(),
  backoffBaseSeconds: z.number(),
  backoffMaxSeconds: z.number(),
  backoffFactor: z.number(),
  rateLimit: z.int().nullable(),
  ratePeriodSeconds: z.number().nullable(),
  catchUp: z.enum(['all', 'newest', 'none']),
  skipLateAfterSeconds: z.number().nullable(),
});

const occurrence: z.ZodType<Occurrence> = z.object({
  scheduledForMs: ms,
  localTime: z.string(),
  kind: z.enum(['due', 'dst-folded', 'dst-skipped']),
  reason: z.string().exactOptional(),
});

const run: z.ZodType<JobRun> = z.object({
  id: z.int(),
  job: z.string(),
  queue: z.string(),
  state,
  version: z.int(),
  attempt: z.int(),
  trigger: z.enum(['enqueue', 'schedule', 'event', 'operator']),
  priority: z.int(),
  scheduledForMs: ms,
  dueAtMs: ms.nullable(),
  createdAtMs: ms,
  assignedAtMs: ms.nullable(),
  startedAtMs: ms.nullable(),
  finishedAtMs: ms.nullable(),
  cancelRequestedAtMs: ms.nullable(),
  workerId: z.int().nullable(),
  leaderEpoch: z.int().nullable(),
  startToken: z.int().nullable(),
  continuation: z.enum(['NONE', 'CONFIRMING']),
  continuationDeadlineAtMs: ms.nullable(),
  concurrencyKey: z.string().nullable(),
  idempotencyKey: z.string().nullable(),
  retryOf: z.int().nullable(),
  progress: z.number().nullable(),
  payload: z.unknown(),
  result: z.unknown(),
  reason: z.string().nullable(),
  error: z.string().nullable(),
});

const auditEntry: z.ZodType<AuditEntry> = z.object({
  id: z.int(),
  atMs: ms,
  actor: z.string(),
  action: z.string(),
  target: z.string(),
  before: z.unknown(),
  after: z.unknown(),
  why: z.string().nullable(),
});

const settings = z.object(
  Object.fromEntries(Object.keys(defaultJobSettings).map((key) => [key, z.number()])),
) as unknown as z.ZodType<JobSettings>;

export const listJobsAnswer: z.ZodType<ListJobsReply> = z.object({ jobs: z.array(job), cursor: nextCursor });

export const jobAnswer: z.ZodType<JobReply> = z.object({ job, nextDueTimes: z.array(occurrence) });

export const previewAnswer: z.ZodType<PreviewReply> = z.object({ nextDueTimes: z.array(occurrence) });

export const slotsAnswer: z.ZodType<SlotsReply> = z.object({
  slots: z.array(
    z.object({
      job: z.string(),
      scheduledForMs: ms,
      outcome: z.string(),
      reason: z.string().nullable(),
      runId: z.int().nullable(),
    }),
  ),
  cursor: nextCursor,
});

export const listRunsAnswer: z.ZodType<ListRunsReply> = z.object({ runs: z.array(run), cursor: nextCursor });

export const runAnswer: z.ZodType<RunReply> = z.object({
  run,
  transitions: z.array(
    z.object({
      runId: z.int(),
      atMs: ms,
      from: state,
      to: state,
      version: z.int(),
      attempt: z.int(),
      workerId: z.int().nullable(),
      leaderEpoch: z.int().nullable(),
      why: z.string(),
    }),
  ),
  cancel: z
    .object({
      runId: z.int(),
      requestedAtMs: ms,
      requestedBy: z.string(),
      why: z.string().nullable(),
      deliveredAtMs: ms.nullable(),
      acknowledgedAtMs: ms.nullable(),
    })
    .nullable(),
});

export const logAnswer: z.ZodType<LogReply> = z.object({
  lines: z.array(z.object({ attempt: z.int(), atMs: ms, text: z.string() })),
  next: z.string(),
  more: z.boolean(),
  ended: z.boolean(),
});

export const workersAnswer: z.ZodType<WorkersReply> = z.object({
  workers: z.array(
    z.object({
      id: z.int(),
      name: z.string(),
      state: z.enum(['ACTIVE', 'DETACHED', 'DRAINING', 'STOPPED']),
      leading: z.boolean(),
      capacity: z.int(),
      load: z.int(),
      seenAtMs: ms,
      registeredAtMs: ms,
    }),
  ),
  cursor: nextCursor,
});

export const settingsAnswer: z.ZodType<SettingsReply> = z.object({ settings });

export const auditAnswer: z.ZodType<AuditReply> = z.object({
  entries: z.array(auditEntry),
  cursor: nextCursor,
});

export const enqueuedAnswer: z.ZodType<Enqueued> = z.object({ runId: z.int(), created: z.boolean() });

export const createdAnswer: z.ZodType<{ readonly created: boolean }> = z.object({ created: z.boolean() });

export const changedAnswer: z.ZodType<{ readonly changed: true }> = z.object({ changed: z.literal(true) });

export const pausedAnswer: z.ZodType<{ readonly paused: boolean }> = z.object({ paused: z.boolean() });

export const demotedAnswer: z.ZodType<{ readonly demoted: boolean }> = z.object({ demoted: z.boolean() });

export const canceledAnswer: z.ZodType<{ readonly outcome: 'canceled' | 'requested' }> = z.object({
  outcome: z.enum(['canceled', 'requested']),
});

export const retriedAnswer: z.ZodType<{ readonly runId: number }> = z.object({ runId: z.int() });

export const reassignedAnswer: z.ZodType<{ readonly reassigned: true }> = z.object({ reassigned: z.literal(true) });
