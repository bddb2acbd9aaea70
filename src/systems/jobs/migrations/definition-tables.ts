/**
 * What is to be run, and when.
 *
 *   queues           first in the order of the ready index; can be paused
 *   job_definitions  one row per name; the code that defines a job writes it, operators may edit it
 *     concurrency    allow: as many as come · forbid, replace: one at a time, given out by the leader
 *     schedule       JSON of `schedule/`; null = only when asked for
 *     schedule_cursor  every due time up to here has its row in job_slots
 *     next_due_at    the next due time after the cursor; null = never again
 *   job_slots        every due time leaves one row, whatever became of it
 *   job_rates        per key of a rate limit: the moment up to which it is used (a leaky bucket in one column)
 *   events           each makes its runs once; unique by dedupe_key
 */
export function definitionTables(schema: string): readonly string[] {
  return [
    `
create table ${schema}.queues (
  id     smallint generated always as identity primary key,
  name   text    not null unique,
  paused boolean not null default false
)`,
    `
create table ${schema}.job_definitions (
  id                      integer generated always as identity primary key,
  name                    text        not null unique,
  queue_id                smallint    not null references ${schema}.queues,
  timeout_seconds         float8      not null default 3600,
  max_retries             smallint    not null default 3,
  backoff_base_seconds    float8      not null default 1,
  backoff_max_seconds     float8      not null default 3600,
  backoff_factor          float8      not null default 2,
  concurrency             text        not null default 'allow' check (concurrency in ('allow', 'forbid', 'replace')),
  priority                smallint    not null default 0,
  rate_limit              integer,
  rate_period_seconds     float8,
  event                   text,
  schedule                json,
  schedule_payload        json,
  schedule_cursor         timestamptz,
  next_due_at             timestamptz,
  catch_up                text        not null default 'newest' check (catch_up in ('newest', 'all', 'none')),
  skip_late_after_seconds float8,
  paused                  boolean     not null default false,
  created_at              timestamptz not null default now(),
  updated_at              timestamptz not null default now()
)`,
    `create index job_definitions_event on ${schema}.job_definitions (event) where event is not null`,
    `
create table ${schema}.job_slots (
  job_definition_id integer     not null,
  scheduled_for     timestamptz not null,
  outcome           text        not null check (outcome in
    ('fired', 'caught-up', 'skipped-overlap', 'skipped-late', 'skipped-paused', 'dst-skipped', 'dst-folded')),
  reason            text,
  run_id            bigint,
  leader_epoch      bigint      not null,
  recorded_at       timestamptz not null default now(),
  primary key (job_definition_id, scheduled_for)
)`,
    `create table ${schema}.job_rates (rate_key text primary key, used_until timestamptz not null) with (fillfactor = 50)`,
    `
create table ${schema}.events (
  id           bigint generated always as identity primary key,
  name         text        not null,
  dedupe_key   text unique,
  payload      json,
  created_at   timestamptz not null default now(),
  processed_at timestamptz
)`,
    `create index events_processed on ${schema}.events (processed_at, created_at)`,
  ];
}
