/**
 * Runs. The hot table holds only runs that have not ended: the statement that ends a run moves it to the history.
 *
 *   job_runs             wide columns first: no padding
 *     version            +1 per transition; a fused claim makes two. Flags (cancel, continuation, progress) leave it
 *     gate               0: workers take it themselves · 1: only the leader gives it out · 2: waits for its rate limit
 *     trigger            0 enqueue, 1 schedule, 2 event, 3 operator; a retry keeps what made the first attempt
 *     due_at             the due time of a scheduled run, kept over retries
 *     start_token        from a sequence without a cache: a later start has a higher number, over all processes
 *   job_run_history      append only; nothing on the hot path reads it
 *   job_run_transitions  every transition but the fused claim and the worker's finish, which the row itself tells
 *   job_keys             uniqueness that outlives the hot row
 *   job_cancels          a cancel: requested, delivered, acknowledged; finished is in the history
 *   job_refusals         a write that was refused is recorded, not only refused
 *
 * Few indexes, all partial: every full one costs each enqueue and each finish. "Recent" is by id: ids grow with time.
 */
export function runTables(schema: string): readonly string[] {
  return [
    `create sequence ${schema}.start_tokens`,
    `
create table ${schema}.job_runs (
  id                 bigint generated always as identity primary key,
  scheduled_for      timestamptz not null default now(),
  created_at         timestamptz not null default now(),
  leader_epoch       bigint,
  assigned_worker_id bigint,
  assigned_at        timestamptz,
  started_at         timestamptz,
  start_token        bigint,
  continuation_check_deadline_at timestamptz,
  cancel_requested_at timestamptz,
  retry_of           bigint,
  due_at             timestamptz,
  job_definition_id  integer  not null,
  version            integer  not null default 1,
  queue_id           smallint not null,
  priority           smallint not null default 0,
  attempt            smallint not null default 1,
  gate               smallint not null default 0 check (gate between 0 and 2),
  trigger            smallint not null default 0 check (trigger between 0 and 3),
  progress           float4,
  state              text     not null default 'PENDING' check (state in ('PENDING', 'ASSIGNED', 'RUNNING', 'ORPHANED')),
  continuation_state text     not null default 'NONE' check (continuation_state in ('NONE', 'CONFIRMING')),
  concurrency_key    text,
  rate_key           text,
  idempotency_key    text,
  payload            json
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_cost_delay = 0,
        autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 1000000)`,
    // In the order in which runs are taken.
    `create index job_runs_ready on ${schema}.job_runs (queue_id, priority, scheduled_for, id)
  where state = 'PENDING' and gate = 0`,
    // By key, so that the leader finds the first of each key without reading those behind it.
    `create index job_runs_gated on ${schema}.job_runs (concurrency_key, priority, scheduled_for, id)
  where state in ('PENDING', 'ORPHANED') and gate = 1`,
    `create index job_runs_limited on ${schema}.job_runs (rate_key, priority, scheduled_for, id)
  where state = 'PENDING' and gate = 2`,
    // The fused claim never enters the first, so "what was I given" stays small while a pinned snapshot keeps every
    // dead RUNNING entry; the second serves the rescue of a lost worker's runs.
    `create index job_runs_assigned on ${schema}.job_runs (assigned_worker_id) where state = 'ASSIGNED'`,
    `create index job_runs_running on ${schema}.job_runs (assigned_worker_id) where state = 'RUNNING'`,
    `create unique index job_runs_retry on ${schema}.job_runs (retry_of) where retry_of is not null`,
    `create unique index job_runs_exclusive on ${schema}.job_runs (concurrency_key)
  where state in ('ASSIGNED', 'RUNNING') and concurrency_key is not null`,
    `
create table ${schema}.job_run_history (
  id bigint primary key,
  scheduled_for timestamptz not null, created_at timestamptz not null,
  leader_epoch bigint, assigned_worker_id bigint, assigned_at timestamptz, started_at timestamptz, start_token bigint,
  finished_at timestamptz not null, cancel_requested_at timestamptz, retry_of bigint, due_at timestamptz,
  job_definition_id integer not null, version integer not null, queue_id smallint not null, priority smallint not null,
  attempt smallint not null, trigger smallint not null, progress float4,
  state text not null check (state in ('SUCCEEDED', 'FAILED', 'TIMED_OUT', 'CANCELED', 'SKIPPED')),
  concurrency_key text, rate_key text, idempotency_key text, payload json, result json, reason text, error text
)`,
    // Partial: costs only runs that repeat another.
    `create index job_run_history_retry on ${schema}.job_run_history (retry_of) where retry_of is not null`,
    `
create view ${schema}.job_runs_all as
select id, scheduled_for, created_at, leader_epoch, assigned_worker_id, assigned_at, started_at, start_token,
       null::timestamptz as finished_at, cancel_requested_at, continuation_state, continuation_check_deadline_at,
       retry_of, due_at, job_definition_id, version, queue_id, priority, attempt, trigger, progress, state, concurrency_key,
       rate_key, idempotency_key, payload, null::json as result, null::text as reason, null::text as error
from ${schema}.job_runs
union all
select id, scheduled_for, created_at, leader_epoch, assigned_worker_id, assigned_at, started_at, start_token,
       finished_at, cancel_requested_at, 'NONE', null,
       retry_of, due_at, job_definition_id, version, queue_id, priority, attempt, trigger, progress, state, concurrency_key,
       rate_key, idempotency_key, payload, result, reason, error
from ${schema}.job_run_history`,
    `
create table ${schema}.job_run_transitions (
  run_id bigint not null, at timestamptz not null default now(), leader_epoch bigint, worker_id bigint,
  version integer not null, attempt smallint not null, from_state text not null, to_state text not null, why text not null
)`,
    `create index job_run_transitions_run on ${schema}.job_run_transitions (run_id, version)`,
    `
create table ${schema}.job_keys (
  idempotency_key text primary key, run_id bigint not null, created_at timestamptz not null default now()
)`,
    `
create table ${schema}.job_cancels (
  run_id bigint primary key, requested_at timestamptz not null default now(), requested_by text not null, why text,
  delivered_at timestamptz, acknowledged_at timestamptz
)`,
    `
create table ${schema}.job_refusals (
  id bigint generated always as identity primary key, at timestamptz not null default now(),
  run_id bigint not null, worker_id bigint, leader_epoch bigint, version integer, attempt smallint,
  wanted text not null, reason text not null
)`,
  ];
}
