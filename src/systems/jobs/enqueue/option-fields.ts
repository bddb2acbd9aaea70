import { JobError } from '../job-error.ts';
import { formatCivil, parseInstant } from '../schedule/civil-time.ts';
import type { Instant, RunOptions } from './enqueue-options.ts';

/** The options of a run as the database reads them. */
export interface OptionFields {
  readonly priority?: number;
  readonly time?: string;
  readonly concurrencyKey?: string;
  readonly rateKey?: string;
  readonly idempotencyKey?: string;
}

export const noFields: OptionFields = {};

/** None of the options is used, so that the run needs nothing of its own. */
export function plainOptions(options: RunOptions): boolean {
  return (
    options.scheduledFor === undefined &&
    options.priority === undefined &&
    options.concurrencyKey === undefined &&
    options.idempotencyKey === undefined &&
    options.rateKey === undefined
  );
}

/** Throws `invalid-argument`. */
export function optionFields(options: RunOptions, job: string): OptionFields {
  if (plainOptions(options)) return noFields;
  const { scheduledFor, priority, concurrencyKey, idempotencyKey, rateKey } = options;
  if (priority !== undefined && (!Number.isInteger(priority) || priority < -32_768 || priority > 32_767))
    throw wrong(job, `priority must be a whole number from -32768 to 32767, got ${String(priority)}`);
  return {
    ...(priority !== undefined && { priority }),
    ...(scheduledFor !== undefined && { time: instantText(scheduledFor, job) }),
    ...(concurrencyKey !== undefined && { concurrencyKey: checkKey('concurrencyKey', concurrencyKey, job) }),
    ...(rateKey !== undefined && { rateKey: checkKey('rateKey', rateKey, job) }),
    ...(idempotencyKey !== undefined && { idempotencyKey: checkKey('idempotencyKey', idempotencyKey, job) }),
  };
}

function checkKey(field: string, key: unknown, job: string): string {
  if (typeof key === 'string' && key.length >= 1 && key.length <= 500 && !unstorable.test(key)) return key;
  throw wrong(job, `${field} must be a text of 1 to 500 characters`);
}

/** NUL, and half a character: the database keeps neither. */
const unstorable = /\0|\p{Surrogate}/u;

/** What PostgreSQL reads as a timestamptz. */
function instantText(instant: Instant, job: string): string {
  const ms =
    typeof instant === 'string' ? parseInstant(instant) : typeof instant === 'number' ? instant : instant.getTime();
  if (ms === undefined) throw wrong(job, `scheduledFor "${instant}" must be ISO 8601 with Z or an offset`);
  // The year 9999: beyond it neither side agrees on the text.
  if (!Number.isFinite(ms) || ms < 0 || ms >= 253_402_300_800_000)
    throw wrong(job, `scheduledFor must be a time from 1970 to 9999, got ${String(ms)}`);
  return `${formatCivil(ms)}.${String(Math.floor(ms % 1_000)).padStart(3, '0')}Z`;
}

function wrong(job: string, what: string): JobError {
  return new JobError(`The enqueue of "${job}" is wrong: ${what}. Nothing was enqueued.`, {
    code: 'invalid-argument',
    job,
  });
}
