/** Definitions and their queues, without a condition. */
export function definitionsSelect(schema: string): string {
  return `
select d.id, d.name, d.queue_id, q.name as queue, d.timeout_seconds, d.max_retries, d.backoff_base_seconds,
  d.backoff_max_seconds, d.backoff_factor, d.concurrency, d.priority, d.rate_limit, d.rate_period_seconds, d.event,
  d.schedule, d.schedule_payload, d.target, d.catch_up, d.skip_late_after_seconds, d.paused, q.paused as queue_paused,
  floor(extract(epoch from d.next_due_at) * 1000)::float8 as next_due_at_ms
from ${schema}.job_definitions d join ${schema}.queues q on q.id = d.queue_id`;
}

/**
 * Definitions by name, and their queues.
 *
 * $1 names as an array, null = all
 */
export function readDefinitionsStatement(schema: string): string {
  return `${definitionsSelect(schema)}
where $1::text is null or d.name = any($1::text::text[])
order by d.name`;
}
