/** $1 payment → looked at */
export function touchPaymentStatement(schema: string): string {
  return `
update ${schema}.payments set checked_at = ${schema}.reservations_now() where id = $1::bigint`;
}
