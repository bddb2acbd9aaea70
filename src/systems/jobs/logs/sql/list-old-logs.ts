/**
 * Runs with a log in the database whose last line is older than the retention, and which are not under way.
 *
 * $1 retention in seconds, $2 only runs after this one, $3 how many
 */
export function listOldLogsStatement(schema: string): string {
  return `
select l.run_id, sum(l.lines)::float8 as lines, r.log_ref, coalesce(r.lines, 0)::float8 as archived_lines
from ${schema}.job_run_logs l left join ${schema}.job_run_log_refs r on r.run_id = l.run_id
where l.run_id > $2::bigint and not exists (select 1 from ${schema}.job_runs h where h.id = l.run_id)
group by l.run_id, r.log_ref, r.lines
having max(l.at) < now() - make_interval(secs => $1::float8)
order by l.run_id limit $3::int`;
}
