/**
 * What operators can change while everything runs. Kept in the database, checked before it is kept, in force with the
 * next tick and the next heartbeat of every process.
 */
import type { SqlExecutor } from '../../core/ports.ts';
import { JobError } from './job-error.ts';

export interface JobSettings {
  /** A worker not heard of for this long is asked to confirm what it runs. */
  readonly worker_silent_after_seconds: number;
  /** ASSIGNED on a lost worker for this long: given to another. */
  readonly reassign_after_seconds: number;
  /** How often a worker asks before it gives its runs up, … */
  readonly continuation_retry_count: number;
  /** … and how long after each other. */
  readonly continuation_retry_interval_seconds: number;
  /** Added to the product of the two: a run is CONFIRMING for that long. */
  readonly continuation_margin_seconds: number;
  /** RUNNING for this long past its time-out: ended by the leader. */
  readonly overdue_margin_seconds: number;
  /** Log bodies older than this move to the archive. */
  readonly log_retention_days_db: number;
  /** Ended runs, slots, keys, events and transitions older than this are removed. 0: never. */
  readonly history_retention_days: number;
}

interface Bounds {
  readonly initial: number;
  readonly min: number;
  readonly max: number;
}

const bounds: { readonly [Key in keyof JobSettings]: Bounds } = {
  worker_silent_after_seconds: { initial: 10, min: 1, max: 3_600 },
  reassign_after_seconds: { initial: 10, min: 0, max: 86_400 },
  continuation_retry_count: { initial: 3, min: 1, max: 100 },
  continuation_retry_interval_seconds: { initial: 0.3, min: 0.05, max: 60 },
  continuation_margin_seconds: { initial: 1.5, min: 0, max: 600 },
  overdue_margin_seconds: { initial: 10, min: 0, max: 86_400 },
  log_retention_days_db: { initial: 7, min: 0, max: 3_650 },
  history_retention_days: { initial: 0, min: 0, max: 3_650 },
};

export const defaultJobSettings: JobSettings = Object.fromEntries(
  Object.entries(bounds).map(([key, { initial }]) => [key, initial]),
) as unknown as JobSettings;

/** How long a run is CONFIRMING. */
export function confirmingSeconds(settings: JobSettings): number {
  const { continuation_retry_count: count, continuation_retry_interval_seconds: interval } = settings;
  return count * interval + settings.continuation_margin_seconds;
}

/** What is stored, and the default where nothing is. A stored value out of its bounds is not believed. */
export async function readJobSettings(on: SqlExecutor, schema: string): Promise<JobSettings> {
  const { rows } = await on.query<{ key: string; value: unknown }>({
    text: `select key, value from "${schema}".settings`,
    name: `kannuki_jobs_settings_${schema}`,
  });
  const stored = new Map(rows.map(({ key, value }) => [key, value]));
  const entries = Object.entries(bounds).map(([key, { initial, min, max }]) => {
    const value = stored.get(key);
    return [key, typeof value === 'number' && value >= min && value <= max ? value : initial];
  });
  return Object.fromEntries(entries) as unknown as JobSettings;
}

/** Throws `invalid-argument` with the bounds. */
export function checkJobSetting(key: string, value: unknown): asserts key is keyof JobSettings {
  const known = Object.hasOwn(bounds, key) ? bounds[key as keyof JobSettings] : undefined;
  if (!known) {
    throw new JobError(`There is no setting "${key}". Settings: ${Object.keys(bounds).join(', ')}.`, {
      code: 'invalid-argument',
    });
  }
  if (typeof value === 'number' && value >= known.min && value <= known.max) return;
  throw new JobError(`"${key}" must be a number from ${known.min} to ${known.max}, got ${String(value)}.`, {
    code: 'invalid-argument',
  });
}

/**
 * Writes one, with its audit row.
 *
 * $1 key, $2 value, $3 actor, $4 why
 */
export function putSettingStatement(schema: string, channel: string): string {
  return `
with old as (select value from "${schema}".settings where key = $1::text), s as (
  insert into "${schema}".settings (key, value, updated_by) values ($1::text, $2::json, $3::text)
  on conflict (key) do update set value = excluded.value, updated_at = now(), updated_by = excluded.updated_by returning key
), a as (
  insert into "${schema}".audit (actor, action, target, before, after, why)
  select $3::text, 'edit', 'setting/' || $1::text, (select value from old), $2::json, $4::text
)
select key, pg_notify('${channel}', 'settings') as told from s`;
}
