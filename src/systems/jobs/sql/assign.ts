/**
 * Leader: PENDING | ORPHANED → ASSIGNED, chosen gated runs to a chosen worker, which is told. An ORPHANED run is a
 * new attempt. The unique index over active keys is the last word on "one at a time".
 *
 * $1 ids, $2 worker, $3 epoch
 */
import { leadPart, transitionPart } from './run-parts.ts';

export function assignStatement(schema: string, channel: string): string {
  return `
with ${leadPart(schema, '$3')}, old as materialized (
  select r.id, r.state from ${schema}.job_runs r
  where r.id = any($1::text::bigint[])
    and case when r.state in ('PENDING', 'ORPHANED') and r.gate = 1 then true else false end
    and (select token from lead) is not null
    and exists (select from ${schema}.workers where id = $2::bigint and state = 'ACTIVE')
    and not exists (select from ${schema}.job_runs x
                    where x.concurrency_key = r.concurrency_key and x.state in ('ASSIGNED', 'RUNNING'))
  for update of r
), u as (
  update ${schema}.job_runs r
  set state = 'ASSIGNED', version = r.version + 1, attempt = r.attempt + (r.state = 'ORPHANED')::int,
      assigned_worker_id = $2::bigint, leader_epoch = $3::bigint, assigned_at = now()
  where r.id = any(array(select id from old)) returning r.id, r.version, r.attempt
), t as (${transitionPart(
    schema,
    `select u.id, $3::bigint, $2::bigint, u.version, u.attempt, old.state, 'ASSIGNED', 'assigned' from u join old using (id)`,
  )}
)
select id, version, attempt,
  (select count(pg_notify('${channel}', 'work|' || $2::bigint)) where exists (select from u)) as told from u`;
}
