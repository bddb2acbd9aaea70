import type { Backoff } from '../../core/retry.ts';
import { JobError } from './job-error.ts';
import type { JobHandler } from './job-handler.ts';
import { checkSchedule } from './schedule/check-schedule.ts';
import type { Schedule } from './schedule/schedule.ts';
import type { StandardSchema } from './standard-schema.ts';
import { checkTarget, type JobTarget } from './targets/job-target.ts';

/** What a job is. The same name defined again by a newer deploy replaces it. */
export interface JobDefinition<Input = unknown, Output = Input> {
  /** 1 to 200 characters without control characters. */
  readonly name: string;
  /** Checks payloads when they are enqueued, and gives the handler its payload. Any Standard Schema. */
  readonly schema?: StandardSchema<Input, Output>;
  /** Does the work. A process without it enqueues only. */
  readonly handler?: JobHandler<Output>;
  /** Instead of a handler: a command or an http target, kept in the database for workers that may run it. */
  readonly target?: JobTarget;
  /** Workers serve named queues. @default 'default' */
  readonly queue?: string;
  /** The run is told to stop after this long, and ends TIMED_OUT. 0.05 to 604,800. @default 3600 */
  readonly timeoutSeconds?: number;
  /** Attempts after the first. 0 to 1,000. @default 3 */
  readonly maxRetries?: number;
  /** Delay before a next attempt. @default 1 s, doubling, at most 1 h, half of it by chance */
  readonly backoff?: Backoff;
  /**
   * `allow`: as many as come. `forbid`: one at a time; a due time that finds one alive is skipped, enqueued runs
   * wait. `replace`: one at a time; a newer run asks the older one to cancel. @default 'allow'
   */
  readonly concurrency?: 'allow' | 'forbid' | 'replace';
  /** Lower runs first. −32,768 to 32,767. @default 0 */
  readonly priority?: number;
  /** At most `limit` starts per period and rate key (see enqueue), given out by the leader. */
  readonly rateLimit?: { readonly limit: number; readonly periodSeconds: number };
  /** A run for every event of this name; its payload is the event's. */
  readonly on?: string;
  /** Makes runs by the clock. */
  readonly schedule?: Schedule;
  /** Payload of scheduled runs. @default null */
  readonly schedulePayload?: Input;
  /** After a gap: which missed due times are run. @default 'newest' */
  readonly catchUp?: 'all' | 'newest' | 'none';
  /** A run that nobody took for this long is SKIPPED. 1 or more. @default never */
  readonly skipLateAfterSeconds?: number;
}

/** A definition with its defaults, as the database keeps it. */
export interface StoredDefinition {
  readonly timeout_seconds: number;
  readonly max_retries: number;
  readonly backoff_base_seconds: number;
  readonly backoff_max_seconds: number;
  readonly backoff_factor: number;
  readonly concurrency: 'allow' | 'forbid' | 'replace';
  readonly priority: number;
  readonly rate_limit: number | null;
  readonly rate_period_seconds: number | null;
  readonly event: string | null;
  readonly schedule: Schedule | null;
  readonly schedule_payload: unknown;
  readonly catch_up: 'all' | 'newest' | 'none';
  readonly skip_late_after_seconds: number | null;
}

/** Checks a definition and fills in what it leaves open. Throws `invalid-argument` or `invalid-schedule`. */
export function storeDefinition(definition: JobDefinition): StoredDefinition {
  const { name, backoff, rateLimit, schedule, timeoutSeconds = 3600, maxRetries = 3, priority = 0 } = definition;
  checkName(name, 'job');
  checkName(definition.queue ?? 'default', 'queue');
  checkNumber(name, 'timeoutSeconds', timeoutSeconds, 0.05, 604_800);
  checkWhole(name, 'maxRetries', maxRetries, 0, 1_000);
  checkWhole(name, 'priority', priority, -32_768, 32_767);
  if (rateLimit) {
    checkWhole(name, 'rateLimit.limit', rateLimit.limit, 1, 1_000_000);
    checkNumber(name, 'rateLimit.periodSeconds', rateLimit.periodSeconds, 0.1, 2_592_000);
  }
  if (definition.skipLateAfterSeconds !== undefined)
    checkNumber(name, 'skipLateAfterSeconds', definition.skipLateAfterSeconds, 1, 31_536_000);
  if (backoff) {
    checkNumber(name, 'backoff.baseMs', backoff.baseMs, 0, 86_400_000);
    checkNumber(name, 'backoff.maxMs', backoff.maxMs, backoff.baseMs, 2_592_000_000);
    checkNumber(name, 'backoff.factor', backoff.factor ?? 2, 1, 100);
  }
  if (definition.target) checkTarget(definition.target);
  const checked = schedule ? checkSchedule(schedule) : undefined;
  if (checked && !checked.valid) {
    throw new JobError(`The schedule of the job "${name}" is wrong (${checked.field}): ${checked.problem}`, {
      code: 'invalid-schedule',
      job: name,
    });
  }
  return {
    timeout_seconds: timeoutSeconds,
    max_retries: maxRetries,
    backoff_base_seconds: (backoff?.baseMs ?? 1_000) / 1_000,
    backoff_max_seconds: (backoff?.maxMs ?? 3_600_000) / 1_000,
    backoff_factor: backoff?.factor ?? 2,
    concurrency: definition.concurrency ?? 'allow',
    priority,
    rate_limit: rateLimit?.limit ?? null,
    rate_period_seconds: rateLimit?.periodSeconds ?? null,
    event: definition.on ?? null,
    schedule: schedule ?? null,
    schedule_payload: definition.schedulePayload ?? null,
    catch_up: definition.catchUp ?? 'newest',
    skip_late_after_seconds: definition.skipLateAfterSeconds ?? null,
  };
}

export function checkName(name: unknown, what: string): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters in a name are always a mistake.
  if (typeof name === 'string' && name.length >= 1 && name.length <= 200 && !/[\u0000-\u001f\u007f]/.test(name)) return;
  throw new JobError(`The ${what} name must be 1 to 200 characters without control characters.`, {
    code: 'invalid-argument',
  });
}

function checkNumber(job: string, field: string, value: number, min: number, max: number): void {
  if (typeof value === 'number' && value >= min && value <= max) return;
  throw new JobError(`${field} of the job "${job}" must be a number from ${min} to ${max}, got ${String(value)}.`, {
    code: 'invalid-argument',
    job,
  });
}

function checkWhole(job: string, field: string, value: number, min: number, max: number): void {
  checkNumber(job, field, value, min, max);
  if (Number.isInteger(value)) return;
  throw new JobError(`${field} of the job "${job}" must be a whole number, got ${value}.`, {
    code: 'invalid-argument',
    job,
  });
}
