/**
 * The archived file, if any, and the next parts in the database: one statement, so that a log being archived at this
 * moment is seen on one side or the other, never on none.
 *
 * $1 run, $2 attempt, $3 part: from this one on, $4 how many → at least 1 row; \`part\` is null when there are no parts
 */
export function readLogPartsStatement(schema: string): string {
  return `
select r.log_ref, case when p.nr is null or p.nr = 1 then r.places end as places,
  p.attempt, p.part, p.at_ms, p.body
from (select 1) as one
left join ${schema}.job_run_log_refs r on r.run_id = $1::bigint
left join lateral (
  select l.attempt, l.part, extract(epoch from l.at)::float8 * 1000 as at_ms, l.body,
    row_number() over (order by l.attempt, l.part) as nr
  from ${schema}.job_run_logs l
  where l.run_id = $1::bigint and (l.attempt, l.part) >= ($2::smallint, $3::bigint)
  order by l.attempt, l.part limit $4::int
) p on true
order by p.nr`;
}
