/** Pieces that several statements share; a guard that exists twice will differ one day. */

/** Copied from the hot row as they are. */
const kept = [
  'id',
  'scheduled_for',
  'created_at',
  'leader_epoch',
  'assigned_worker_id',
  'assigned_at',
  'started_at',
  'start_token',
  'retry_of',
  'due_at',
  'job_definition_id',
  'queue_id',
  'priority',
  'attempt',
  'trigger',
  'progress',
  'concurrency_key',
  'rate_key',
  'idempotency_key',
  'payload',
];

export interface HistoryPart {
  /** The CTE of the deleted rows, called `d` in the expressions. */
  readonly from: string;
  readonly state: string;
  readonly reason: string;
  readonly error?: string;
  readonly result?: string;
  readonly cancelRequestedAt?: string;
}

/** The ended runs into the history, in the statement that deletes them from the hot table. */
export function historyPart(schema: string, part: HistoryPart): string {
  const { from, state, reason, error = 'null', result = 'null', cancelRequestedAt = 'd.cancel_requested_at' } = part;
  return `
  insert into ${schema}.job_run_history
    (${kept.join(', ')}, finished_at, cancel_requested_at, version, state, reason, error, result)
  select ${kept.map((column) => `d.${column}`).join(', ')}, now(), ${cancelRequestedAt}, d.version + 1,
    ${state}, ${reason}, ${error}, ${result}
  from ${from}`;
}

/**
 * The next attempt of ended runs as new rows, called `d` as above. Only within the definition's retries, and never
 * after a cancel was asked for. `delay` is in seconds.
 */
export function retryPart(schema: string, part: { readonly from: string; readonly delay: string }): string {
  return `
  insert into ${schema}.job_runs
    (scheduled_for, job_definition_id, queue_id, attempt, priority, gate, trigger, concurrency_key, rate_key,
     idempotency_key, payload, due_at, retry_of)
  select now() + make_interval(secs => ${part.delay}), d.job_definition_id, d.queue_id, d.attempt + 1, d.priority,
    (case when d.rate_key is not null then 2 when d.concurrency_key is not null then 1 else 0 end)::smallint, d.trigger, d.concurrency_key, d.rate_key,
    d.idempotency_key, d.payload, d.due_at, d.id
  from ${part.from}
  join ${schema}.job_definitions f on f.id = d.job_definition_id
  where d.cancel_requested_at is null and d.attempt <= f.max_retries
  returning id, retry_of, attempt`;
}

/** A row for every transition; `select` gives run, epoch, worker, version, attempt, from, to, why. */
export function transitionPart(schema: string, select: string): string {
  return `
  insert into ${schema}.job_run_transitions
    (run_id, leader_epoch, worker_id, version, attempt, from_state, to_state, why)
  ${select}`;
}

/**
 * The right of a leader: its epoch is the fence's. The row is locked FOR SHARE in the same statement, so a take-over
 * waits for the statement, or the statement changes nothing. A sub-select alone would not hold a deposed leader back.
 */
export function leadPart(schema: string, epoch: string): string {
  return `lead as materialized (
  select token from ${schema}.fences where resource = 'jobs' and token = ${epoch}::bigint for share
)`;
}
