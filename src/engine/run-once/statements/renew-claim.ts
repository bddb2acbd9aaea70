/**
 * Keeps a claim alive. Never shortens, never revives: zero rows = the claim is over, stop.
 *
 * $1 scope, $2 key, $3 token, $4 owner, $5 ttl ms → 0 or 1 row
 */
export function renewClaimStatement(schema: string): string {
  return `
update ${schema}.run_once r
set expires_at = greatest(r.expires_at, statement_timestamp() + $5::float8 * interval '1 ms')
where r.scope = $1::text and r.key = $2::text and r.token = $3::bigint and r.owner = $4::text
  and r.state = 'running' and r.expires_at > statement_timestamp()
returning r.token`;
}
