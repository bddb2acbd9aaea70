/** Uses a code that is neither used nor over, with its audit row. Zero rows: it is. $1 sha256 */
export function redeemCodeStatement(schema: string): string {
  return `
with used as (
  update ${schema}.sign_in_codes c set used_at = statement_timestamp()
  where c.sha256 = $1 and c.used_at is null and c.expires_at > statement_timestamp()
  returning c.name, c.role
), a as (
  insert into ${schema}.audit (actor, action, target, after)
  select u.name, 'sign-in', 'sign-in/' || u.name, json_build_object('role', u.role) from used u
)
select u.name, u.role from used u`;
}
