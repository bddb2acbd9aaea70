/**
 * Adds a code, with its audit row, and forgets those that ended a day ago.
 *
 * $1 sha256, $2 name, $3 role, $4 ms it lasts, $5 actor
 */
export function addCodeStatement(schema: string): string {
  return `
with old as (
  delete from ${schema}.sign_in_codes c where c.expires_at < statement_timestamp() - interval '1 day'
), a as (
  insert into ${schema}.audit (actor, action, target, after)
  values ($5::text, 'create', 'sign-in/' || $2::text, json_build_object('role', $3::text))
)
insert into ${schema}.sign_in_codes (sha256, name, role, expires_at)
values ($1, $2::text, $3::text, statement_timestamp() + $4::float8 * interval '1 ms')`;
}
