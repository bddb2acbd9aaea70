/**
 * How far a cancel has come: its signal was given to the handler, or the handler has answered it.
 *
 * $1 ids, $2 whether the handler has answered
 */
export function markCancelsStatement(schema: string): string {
  return `
update ${schema}.job_cancels
set delivered_at = coalesce(delivered_at, now()),
    acknowledged_at = case when $2::boolean then coalesce(acknowledged_at, now()) else acknowledged_at end
where run_id = any($1::text::bigint[])`;
}
