/**
 * What became visible since a snapshot, and the snapshot of now: both of one statement. No order of ids or times is
 * trusted: a transaction that began early and commits late is in the first snapshot's list of those under way, or
 * above its end, and its changes are read by the first statement that can see them. No rows: nobody watches.
 *
 * $1 the snapshot read last, $2 most rows → snapshot, incarnation, watched, settled, whole, topic, ids; topic is null
 * where nothing changed
 *   settled  whoever was under way when the watch began had ended at $1
 *   whole    nothing was removed that $1 does not see
 */
export function readChangesStatement(schema: string): string {
  return `
select pg_current_snapshot()::text as snapshot, w.incarnation, w.watched_until > clock_timestamp() as watched,
  coalesce(pg_snapshot_xmin($1::text::pg_snapshot) >= w.settles_at, false) as settled,
  pg_snapshot_xmax(w.pruned) <= pg_snapshot_xmax($1::text::pg_snapshot) and not exists (
    select from pg_snapshot_xip($1::text::pg_snapshot) x where pg_visible_in_snapshot(x, w.pruned)
  ) as whole,
  c.topic, c.ids
from ${schema}.change_watch w left join lateral (
  select topic, ids from ${schema}.changes
  where xid >= pg_snapshot_xmin($1::text::pg_snapshot) and not pg_visible_in_snapshot(xid, $1::text::pg_snapshot)
  order by xid limit $2::int
) c on true`;
}
