/**
 * What the code says of a job, by name. A definition that is the same already is not written. A new schedule begins
 * at the cursor given, or where the old one stood if it is the same schedule.
 *
 * $1 name, $2 queue, $3 JSON of the fields, $4 cursor (ms) for a new schedule, $5 next due time (ms) after it → row
 */
export function putDefinitionStatement(schema: string): string {
  return `
with q as (
  insert into ${schema}.queues (name) values ($2::text) on conflict (name) do update set name = excluded.name returning id
), f as (
  select * from json_to_record($3::json) as f(timeout_seconds float8, max_retries smallint, backoff_base_seconds float8,
    backoff_max_seconds float8, backoff_factor float8, concurrency text, priority smallint, rate_limit int,
    rate_period_seconds float8, event text, schedule json, schedule_payload json, catch_up text, skip_late_after_seconds float8)
)
insert into ${schema}.job_definitions as d (name, queue_id, timeout_seconds, max_retries, backoff_base_seconds,
  backoff_max_seconds, backoff_factor, concurrency, priority, rate_limit, rate_period_seconds, event, schedule,
  schedule_payload, catch_up, skip_late_after_seconds, schedule_cursor, next_due_at)
select $1::text, q.id, f.timeout_seconds, f.max_retries, f.backoff_base_seconds, f.backoff_max_seconds, f.backoff_factor,
  f.concurrency, f.priority, f.rate_limit, f.rate_period_seconds, f.event, f.schedule, f.schedule_payload, f.catch_up,
  f.skip_late_after_seconds, case when f.schedule is not null then to_timestamp($4::float8 / 1000) end,
  to_timestamp($5::float8 / 1000)
from q, f
on conflict (name) do update set
  queue_id = excluded.queue_id, timeout_seconds = excluded.timeout_seconds, max_retries = excluded.max_retries,
  backoff_base_seconds = excluded.backoff_base_seconds, backoff_max_seconds = excluded.backoff_max_seconds,
  backoff_factor = excluded.backoff_factor, concurrency = excluded.concurrency, priority = excluded.priority,
  rate_limit = excluded.rate_limit, rate_period_seconds = excluded.rate_period_seconds, event = excluded.event,
  schedule = excluded.schedule, schedule_payload = excluded.schedule_payload, catch_up = excluded.catch_up,
  skip_late_after_seconds = excluded.skip_late_after_seconds, updated_at = now(),
  schedule_cursor = case when d.schedule::text is not distinct from excluded.schedule::text then d.schedule_cursor
                    else excluded.schedule_cursor end,
  next_due_at = case when d.schedule::text is not distinct from excluded.schedule::text then d.next_due_at
                else excluded.next_due_at end
returning id, queue_id`;
}
