/** $1 address, $2 name, $3 language → the new user's id */
export function addUserStatement(schema: string): string {
  return `
insert into ${schema}.users (email, name, locale) values ($1::text, $2::text, $3::text) returning id`;
}
