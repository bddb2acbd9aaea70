/** Which runs a reader means: every part narrows, none means all. */
import { JobError } from '../job-error.ts';
import type { JobState } from '../job-state.ts';

export interface PayloadMatch {
  /** From the outside in: `['order', 'id']`. 1 to 10 names. */
  readonly path: readonly string[];
  /** What stands there, as text. */
  readonly value: string;
}

export interface RunFilter {
  readonly state?: JobState | readonly JobState[];
  /** Name of the definition. */
  readonly job?: string;
  readonly workerId?: number;
  readonly leaderEpoch?: number;
  /** Due at or after this. */
  readonly fromMs?: number;
  /** Due before this. */
  readonly toMs?: number;
  /** Needs `fromMs`: payloads are read one by one. */
  readonly payload?: PayloadMatch;
  /** Only these. */
  readonly ids?: readonly number[];
}

export interface Condition {
  /** Follows `where`; the runs are called `r`. */
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Only what is asked for is in the text, so that the planner sees which index serves it. */
export function conditionOf(schema: string, filter: RunFilter, more: readonly string[] = []): Condition {
  const values: unknown[] = [];
  const parts: string[] = [...more];
  const add = (part: (place: string) => string, value: unknown): void => {
    values.push(value);
    parts.push(part(`$${values.length}`));
  };
  const { state, job, workerId, leaderEpoch, fromMs, toMs, payload, ids } = filter;
  const states = state === undefined ? [] : typeof state === 'string' ? [state] : state;
  if (states.length > 0) {
    // One by one: an array made of a text is no constant, and then no partial index serves.
    const places = states.map((one) => `$${values.push(one)}::text`);
    parts.push(`r.state in (${places.join(', ')})`);
  }
  if (job !== undefined)
    add((at) => `r.job_definition_id = (select id from ${schema}.job_definitions where name = ${at}::text)`, job);
  if (workerId !== undefined) add((at) => `r.assigned_worker_id = ${at}::bigint`, workerId);
  if (leaderEpoch !== undefined) add((at) => `r.leader_epoch = ${at}::bigint`, leaderEpoch);
  if (fromMs !== undefined) add((at) => `r.scheduled_for >= to_timestamp(${at}::float8 / 1000)`, fromMs);
  if (toMs !== undefined) add((at) => `r.scheduled_for < to_timestamp(${at}::float8 / 1000)`, toMs);
  if (ids !== undefined) add((at) => `r.id = any(${at}::text::bigint[])`, `{${ids.join(',')}}`);
  if (payload !== undefined) {
    if (fromMs === undefined) {
      throw new JobError('A search in payloads needs a time to begin at.', { code: 'invalid-argument' });
    }
    values.push(arrayText(payload.path), payload.value);
    const [path, value] = [`$${values.length - 1}::text::text[]`, `$${values.length}::text`];
    // Things that hold others have a text too, which would tell what is hidden in them.
    parts.push(`json_typeof(r.payload #> ${path}) not in ('object', 'array') and r.payload #>> ${path} = ${value}`);
  }
  return { text: parts.length === 0 ? '' : `where ${parts.join('\n  and ')}`, values };
}

/** PostgreSQL's text of an array of texts. */
function arrayText(items: readonly string[]): string {
  return `{${items.map((item) => `"${item.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;
}
