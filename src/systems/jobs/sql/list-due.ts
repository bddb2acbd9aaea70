/**
 * Leader: the definitions with a due time, and the database's now.
 *
 * $1 limit
 */
export function listDueStatement(schema: string): string {
  return `
select id, name, schedule, catch_up, skip_late_after_seconds, paused,
  floor(extract(epoch from schedule_cursor) * 1000)::float8 as cursor_ms,
  floor(extract(epoch from now()) * 1000)::float8 as now_ms
from ${schema}.job_definitions
where schedule is not null and next_due_at <= now()
order by next_due_at limit $1::int`;
}
