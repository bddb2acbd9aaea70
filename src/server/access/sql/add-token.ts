/**
 * Adds a token, with its audit row.
 *
 * $1 id, $2 sha256, $3 name, $4 role, $5 ms it lasts or null, $6 actor → the token without its secret
 */
import { tokenColumns } from './token-columns.ts';

export function addTokenStatement(schema: string): string {
  return `
with t as (
  insert into ${schema}.api_tokens (id, sha256, name, role, created_at, created_by, expires_at)
  values ($1::text, $2::text, $3::text, $4::text, statement_timestamp(), $6::text,
    statement_timestamp() + $5::float8 * interval '1 ms')
  returning *
), a as (
  insert into ${schema}.audit (actor, action, target, after)
  select $6::text, 'create', 'token/' || t.id, json_build_object('name', t.name, 'role', t.role, 'expiresAt', t.expires_at)
  from t
)
select ${tokenColumns} from t`;
}
