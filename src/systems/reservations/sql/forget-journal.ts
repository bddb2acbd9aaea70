/** $1 age ms, $2 limit → forgotten */
export function forgetJournalStatement(schema: string): string {
  return `
delete from ${schema}.reservation_journal where ctid = any (array(
  select ctid from ${schema}.reservation_journal
  where at < ${schema}.reservations_now() - $1::float8 * interval '1 ms'
  limit $2::integer
))`;
}
