/** $1 id, $2 sent, dropped or refused, $3 note, $4 message id → 0 rows: finished before */
export function finishNotificationStatement(schema: string): string {
  return `
update ${schema}.notifications set
  state = $2::text, note = $3::text, message_id = $4::text, finished_at = ${schema}.reservations_now()
where id = $1::bigint and state = 'wanted'
returning id`;
}
