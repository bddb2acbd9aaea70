/**
 * A person wants a parked refund tried again.
 *
 * $1 refund → 1 row if it was parked
 */
export function reopenRefundStatement(schema: string): string {
  return `
update ${schema}.refunds set state = 'wanted', failures = 0, checked_at = ${schema}.reservations_now()
where id = $1::bigint and state = 'manual'
returning generation`;
}
