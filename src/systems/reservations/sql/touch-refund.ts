/** $1 refund → looked at */
export function touchRefundStatement(schema: string): string {
  return `
update ${schema}.refunds set checked_at = ${schema}.reservations_now() where id = $1::bigint`;
}
