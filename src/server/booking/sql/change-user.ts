/** $1 user, $2 address, $3 name, $4 language. Locks the row: one customer's films are added one after another. */
export function changeUserStatement(schema: string): string {
  return `
update ${schema}.users set email = $2::text, name = $3::text, locale = $4::text where id = $1::bigint returning id`;
}
