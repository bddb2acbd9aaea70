/**
 * Ends a token, with its audit row. One that was revoked before stays as it was and is told again.
 *
 * $1 id, $2 actor, $3 why → 0 rows: unknown
 */
import { tokenColumns } from './token-columns.ts';

export function revokeTokenStatement(schema: string): string {
  return `
with revoked as (
  update ${schema}.api_tokens t set revoked_at = statement_timestamp()
  where t.id = $1::text and t.revoked_at is null
  returning *
), a as (
  insert into ${schema}.audit (actor, action, target, before, after, why)
  select $2::text, 'revoke', 'token/' || t.id, json_build_object('name', t.name, 'role', t.role),
    json_build_object('revoked', true), $3::text
  from revoked t
)
select ${tokenColumns} from revoked t
union all
select ${tokenColumns} from ${schema}.api_tokens t
where t.id = $1::text and t.revoked_at is not null and not exists (select from revoked)`;
}
