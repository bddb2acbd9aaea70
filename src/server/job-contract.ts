/** Jobs over the wire: the shapes of their requests and replies. Paths and roles are in routes.ts. */
import { z } from 'zod';
import type {
  AuditEntry,
  JobCancel,
  JobDefinition,
  JobInfo,
  JobRun,
  JobSettings,
  JobSlot,
  JobTarget,
  JobTransition,
  LogLine,
  Occurrence,
  RunOptions,
  Schedule,
  WorkerInfo,
} from '../systems/jobs/index.ts';
import { defaultJobSettings } from '../systems/jobs/index.ts';
import { httpLimits } from './http-limits.ts';
import { cursorOf } from './paging/page-cursor.ts';
import { type IdPage, idPageFields, type PagedReply, pageLimit } from './paging/page-query.ts';

const text = (max: number): z.ZodString => z.string().min(1).max(max);
const why = z.string().trim().min(1).max(httpLimits.reasonMax).exactOptional();
const dst = z
  .strictObject({
    gap: z.enum(['shift', 'skip']).exactOptional(),
    fold: z.enum(['both', 'first', 'second']).exactOptional(),
  })
  .exactOptional();
const zone = text(100).exactOptional();

export const schedule: z.ZodType<Schedule> = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('cron'), cron: text(256), zone, dst }),
  z.strictObject({ kind: z.literal('daily'), at: text(5), zone, dst }),
  z.strictObject({ kind: z.literal('every'), minutes: z.int(), from: text(40).exactOptional() }),
  z.strictObject({ kind: z.literal('once'), at: text(40) }),
]);

const words = z.record(text(200), z.string().max(10_000));

export const jobTarget: z.ZodType<JobTarget> = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('command'),
    command: z.array(z.string().max(10_000)).min(1).max(1_000),
    cwd: text(4_096).exactOptional(),
    env: words.exactOptional(),
    graceMs: z.number().min(0).max(600_000).exactOptional(),
  }),
  z.strictObject({
    kind: z.literal('http'),
    url: text(4_096),
    method: z.enum(['DELETE', 'GET', 'PATCH', 'POST', 'PUT']).exactOptional(),
    headers: words.exactOptional(),
    timeoutMs: z.number().min(1).max(86_400_000).exactOptional(),
  }),
]);

export type PutJobBody = Omit<JobDefinition, 'backoff' | 'handler' | 'name' | 'schema'>;

export const putJobBody: z.ZodType<PutJobBody> = z.strictObject({
  target: jobTarget.exactOptional(),
  queue: text(200).exactOptional(),
  timeoutSeconds: z.number().exactOptional(),
  maxRetries: z.int().exactOptional(),
  concurrency: z.enum(['allow', 'forbid', 'replace']).exactOptional(),
  priority: z.int().exactOptional(),
  rateLimit: z.strictObject({ limit: z.int(), periodSeconds: z.number() }).exactOptional(),
  on: text(200).exactOptional(),
  schedule: schedule.exactOptional(),
  schedulePayload: z.unknown().exactOptional(),
  catchUp: z.enum(['all', 'newest', 'none']).exactOptional(),
  skipLateAfterSeconds: z.number().exactOptional(),
});

export interface EnqueueBody extends Omit<RunOptions, 'scheduledFor'> {
  readonly payload?: unknown;
  /** ISO 8601 with an offset, or milliseconds since 1970. @default now */
  readonly scheduledFor?: number | string;
}

export const enqueueBody: z.ZodType<EnqueueBody> = z.strictObject({
  payload: z.unknown().exactOptional(),
  scheduledFor: z.union([z.number(), text(40)]).exactOptional(),
  priority: z.int().min(-32_768).max(32_767).exactOptional(),
  concurrencyKey: text(500).exactOptional(),
  idempotencyKey: text(500).exactOptional(),
  rateKey: text(500).exactOptional(),
});

export interface EventBody {
  readonly name: string;
  readonly payload?: unknown;
  readonly dedupeKey?: string;
}

export const eventBody: z.ZodType<EventBody> = z.strictObject({
  name: text(200),
  payload: z.unknown().exactOptional(),
  dedupeKey: text(500).exactOptional(),
});

export interface ActBody {
  /** Kept in the audit. */
  readonly why?: string;
}

export const actBody: z.ZodType<ActBody> = z.strictObject({ why });

export interface PauseBody extends ActBody {
  readonly paused: boolean;
}

export const pauseBody: z.ZodType<PauseBody> = z.strictObject({ paused: z.boolean(), why });

export interface SettingBody extends ActBody {
  readonly key: keyof JobSettings;
  readonly value: number;
}

export const settingBody: z.ZodType<SettingBody> = z.strictObject({
  key: z.enum(Object.keys(defaultJobSettings) as [keyof JobSettings, ...(keyof JobSettings)[]]),
  value: z.number(),
  why,
});

export interface PreviewBody {
  readonly schedule: Schedule;
  /** 1 to 100. @default 5 */
  readonly count?: number;
  /** @default now */
  readonly afterMs?: number;
}

export const previewBody: z.ZodType<PreviewBody> = z.strictObject({
  schedule,
  count: z.int().min(1).max(100).exactOptional(),
  afterMs: z.number().min(0).max(8_000_000_000_000).exactOptional(),
});

export const jobsQuery: z.ZodType<{ readonly cursor?: readonly [name: string]; readonly limit?: number }> =
  z.strictObject({ cursor: cursorOf('jobs', z.tuple([text(200)])).exactOptional(), limit: pageLimit });

/** A due time of a job has one row. */
export const slotsQuery: z.ZodType<IdPage> = z.strictObject(idPageFields('slots'));

export interface WorkersQuery extends IdPage {
  /** `true`: only those that have not ended. */
  readonly live?: 'false' | 'true';
}

export const workersQuery: z.ZodType<WorkersQuery> = z.strictObject({
  live: z.enum(['true', 'false']).exactOptional(),
  ...idPageFields('workers'),
});

export const logQuery: z.ZodType<{ readonly after?: string; readonly limit?: number }> = z.strictObject({
  after: text(40).exactOptional(),
  limit: z.coerce.number().int().min(1).max(10_000).exactOptional(),
});

export interface AuditQuery extends IdPage {
  readonly target?: string;
  readonly actor?: string;
  readonly action?: string;
}

export const auditQuery: z.ZodType<AuditQuery> = z.strictObject({
  target: text(500).exactOptional(),
  actor: text(200).exactOptional(),
  action: text(40).exactOptional(),
  ...idPageFields('audit'),
});

export type ListJobsReply = PagedReply & { readonly jobs: readonly JobInfo[] };
export type JobReply = { readonly job: JobInfo; readonly nextDueTimes: readonly Occurrence[] };
export type PreviewReply = { readonly nextDueTimes: readonly Occurrence[] };
export type SlotsReply = PagedReply & { readonly slots: readonly JobSlot[] };
export type ListRunsReply = PagedReply & { readonly runs: readonly JobRun[] };
export type WorkersReply = PagedReply & { readonly workers: readonly WorkerInfo[] };
export type SettingsReply = { readonly settings: JobSettings };
export type AuditReply = PagedReply & { readonly entries: readonly AuditEntry[] };

export interface RunReply {
  readonly run: JobRun;
  readonly transitions: readonly JobTransition[];
  readonly cancel: JobCancel | null;
}

export interface LogReply {
  readonly lines: readonly LogLine[];
  /** Ask with `after` for what follows. */
  readonly next: string;
  /** More is stored now. */
  readonly more: boolean;
  /** The run has ended and this was the last page. */
  readonly ended: boolean;
}
