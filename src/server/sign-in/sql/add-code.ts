/** Adds a code and forgets those that ended a day ago. $1 sha256, $2 name, $3 role, $4 ms it lasts */
export function addCodeStatement(schema: string): string {
  return `
with old as (
  delete from ${schema}.sign_in_codes c where c.expires_at < statement_timestamp() - interval '1 day'
)
insert into ${schema}.sign_in_codes (sha256, name, role, expires_at)
values ($1, $2, $3, statement_timestamp() + $4::float8 * interval '1 ms')`;
}
