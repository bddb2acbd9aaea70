/**
 * An operator's word, or the worker's own: no new work (DRAINING), or none and it must confirm what it runs
 * (DETACHED: each of its runs is CONFIRMING until the deadline; a heartbeat that comes in time keeps them). Never
 * back: a worker that is to work again registers anew.
 *
 * $1 worker, $2 new state, $3 deadline seconds, $4 actor, $5 why → 0 or 1 row
 */
export function changeWorkerStatement(schema: string, channel: string): string {
  return `
with old as materialized (select id, state from ${schema}.workers where id = $1::bigint for update),
w as (
  update ${schema}.workers w set state = $2::text, hungry = false from old
  where w.id = old.id and case $2::text when 'DRAINING' then old.state = 'ACTIVE' else old.state in ('ACTIVE', 'DRAINING') end
  returning w.id, old.state as before
), c as (
  update ${schema}.job_runs r
  set continuation_state = 'CONFIRMING', continuation_check_deadline_at = now() + make_interval(secs => $3::float8)
  from w where $2::text = 'DETACHED' and r.assigned_worker_id = w.id and r.state = 'RUNNING' and r.continuation_state = 'NONE'
  returning r.id
), a as (
  insert into ${schema}.audit (actor, action, target, before, after, why)
  select $4::text, case $2::text when 'DETACHED' then 'detach' else 'drain' end, 'worker/' || id,
    json_build_object('state', before), json_build_object('state', $2::text), $5::text from w
)
select id, before, (select count(*)::int from c) as asked, pg_notify('${channel}', 'work|' || id) as told from w`;
}
