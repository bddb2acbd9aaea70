/**
 * The first due run from the very front: reads only, locks nothing, so that no wake-up waits for it.
 *
 * $1 queue, $2 definitions with a handler → 0 or 1 row: a position
 */
export function lookStatement(schema: string): string {
  return `
select r.priority, extract(epoch from r.scheduled_for)::float8 as position, r.id from ${schema}.job_runs r
where r.state = 'PENDING' and r.gate = 0 and r.queue_id = $1::smallint and r.scheduled_for <= now()
  and r.job_definition_id = any($2::int[])
order by r.priority, r.scheduled_for, r.id limit 1`;
}
