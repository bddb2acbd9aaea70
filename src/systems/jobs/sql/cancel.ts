/**
 * PENDING | ORPHANED | ASSIGNED: canceled at once (a worker that was about to start it finds no row). RUNNING: the
 * request is noted, version stays, and the worker is told; it ends the run. No row: ended, unknown, or changing hands
 * this instant: read again.
 *
 * $1 id, $2 actor, $3 why → 0 or 1 row
 */
import { historyPart, transitionPart } from './run-parts.ts';

export function cancelStatement(schema: string, channel: string): string {
  return `
with d as (
  delete from ${schema}.job_runs r where r.id = $1::bigint and r.state in ('PENDING', 'ORPHANED', 'ASSIGNED') returning r.*
), h as (${historyPart(schema, {
    from: 'd',
    state: `'CANCELED'`,
    reason: `'canceled'`,
    error: '$3::text',
    cancelRequestedAt: 'now()',
  })}
), t as (${transitionPart(
    schema,
    `select d.id, d.leader_epoch, d.assigned_worker_id, d.version + 1, d.attempt, d.state, 'CANCELED', 'canceled by ' || $2::text from d`,
  )}
), u as (
  update ${schema}.job_runs r set cancel_requested_at = coalesce(r.cancel_requested_at, now())
  where r.id = $1::bigint and r.state = 'RUNNING' returning r.id, r.state, r.assigned_worker_id
), o as (
  select d.id, d.state, 'canceled' as outcome, d.assigned_worker_id from d
  union all select u.id, u.state, 'requested', u.assigned_worker_id from u
), c as (
  insert into ${schema}.job_cancels (run_id, requested_by, why) select o.id, $2::text, $3::text from o
  on conflict (run_id) do nothing
), a as (
  insert into ${schema}.audit (actor, action, target, before, after, why)
  select $2::text, 'cancel', 'run/' || o.id, json_build_object('state', o.state), json_build_object('outcome', o.outcome), $3::text from o
)
select o.id, o.outcome, (select count(pg_notify('${channel}', 'cancel|' || u.assigned_worker_id || '|' || u.id)) from u) as told from o`;
}
