/**
 * Many parts in one statement; one that is there already (its reply was lost) stays as it is.
 *
 * $1 runs, $2 attempts, $3 parts, $4 lines, $5 bodies
 */
export function insertLogPartsStatement(schema: string): string {
  return `
insert into ${schema}.job_run_logs (run_id, attempt, part, lines, body)
select * from unnest($1::bigint[], $2::smallint[], $3::bigint[], $4::int[], $5::text[])
on conflict do nothing`;
}
