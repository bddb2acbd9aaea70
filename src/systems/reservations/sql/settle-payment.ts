/** $1 payment → its money has an end */
export function settlePaymentStatement(schema: string): string {
  return `
update ${schema}.payments set settled = true where id = $1::bigint`;
}
