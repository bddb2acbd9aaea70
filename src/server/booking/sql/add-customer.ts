/** $1 visitor, $2 user → 0 rows: the visitor became a user at the same moment elsewhere */
export function addCustomerStatement(schema: string): string {
  return `
insert into ${schema}.customers (visitor, user_id, since) values ($1::text, $2::bigint, statement_timestamp())
on conflict (visitor) do nothing
returning user_id`;
}
