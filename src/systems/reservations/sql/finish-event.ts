/** $1 id, $2 done or ignored, $3 note → 0 rows: another worker was first */
export function finishEventStatement(schema: string): string {
  return `
update ${schema}.stripe_events set state = $2::text, note = $3::text, done_at = ${schema}.reservations_now()
where id = $1::text and state = 'received'
returning id`;
}
