/**
 * Removes what a snapshot of a while ago sees, and notes it in the same transaction: who comes with an older id is told
 * to begin anew. $1 that snapshot, $2 incarnation
 */
export function pruneChangesStatement(schema: string): string {
  return `
with mark as (
  update ${schema}.change_watch set pruned = $1::text::pg_snapshot
  where incarnation = $2::text and pg_snapshot_xmax(pruned) <= pg_snapshot_xmax($1::text::pg_snapshot)
  returning id
)
delete from ${schema}.changes
where xid < pg_snapshot_xmax($1::text::pg_snapshot) and pg_visible_in_snapshot(xid, $1::text::pg_snapshot)
  and exists (select from mark)`;
}
