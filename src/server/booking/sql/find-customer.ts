/** $1 visitor → 0 or 1 row */
export function findCustomerStatement(schema: string): string {
  return `
select u.id, u.name, u.email, u.locale
from ${schema}.customers c join ${schema}.users u on u.id = c.user_id
where c.visitor = $1::text`;
}
