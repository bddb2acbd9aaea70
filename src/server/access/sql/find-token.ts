/**
 * A token in force. Its last use is noted once a minute at most, so that reading stays reading.
 *
 * $1 id → 0 or 1 row; zero: unknown, revoked or over
 */
export function findTokenStatement(schema: string): string {
  return `
with t as (
  select t.id, t.sha256, t.name, t.role, t.last_used_at from ${schema}.api_tokens t
  where t.id = $1::text and t.revoked_at is null and (t.expires_at is null or t.expires_at > statement_timestamp())
), used as (
  update ${schema}.api_tokens u set last_used_at = statement_timestamp() from t
  where u.id = t.id and (t.last_used_at is null or t.last_used_at < statement_timestamp() - interval '1 minute')
)
select t.sha256, t.name, t.role from t`;
}
