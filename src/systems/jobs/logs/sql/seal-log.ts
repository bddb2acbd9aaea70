/**
 * The file is written: keep its reference and delete what it holds, if it holds exactly what the database has. A line
 * that came in between, or somebody who was faster, makes it 0 rows, and nothing has changed.
 *
 * $1 run, $2 new ref, $3 old ref or null, $4 lines in the database, $5 lines in the file, $6 bytes, $7 sha256, $8 places
 */
export function sealLogStatement(schema: string): string {
  return `
with have as (
  select coalesce(sum(lines), 0)::bigint as lines from ${schema}.job_run_logs where run_id = $1::bigint
), ref as (
  insert into ${schema}.job_run_log_refs as r (run_id, log_ref, lines, bytes, sha256, places)
  select $1::bigint, $2::text, $5::bigint, $6::bigint, $7::text, $8::json from have
  where have.lines = $4::bigint
  on conflict (run_id) do update set log_ref = excluded.log_ref, lines = excluded.lines, bytes = excluded.bytes,
    sha256 = excluded.sha256, places = excluded.places, archived_at = now()
  where r.log_ref = $3::text
  returning run_id
), gone as (
  delete from ${schema}.job_run_logs where run_id = $1::bigint and exists (select 1 from ref)
)
select run_id from ref`;
}
