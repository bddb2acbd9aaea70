/**
 * Notes which transactions may have run their triggers before the watch began. Its own snapshot is later than that
 * beginning, so whoever was unwatched and has not ended is below its xmax.
 *
 * $1 incarnation
 */
export function settleWatchStatement(schema: string): string {
  return `
update ${schema}.change_watch set settles_at = pg_snapshot_xmax(pg_current_snapshot())
where incarnation = $1::text and settles_at is null`;
}
