/** $1 id, $2 owner or null, $3 end in ms or null, $4 heartbeat in ms or null, $5 token. The row is locked already. */
export function writeLockStatement(schema: string): string {
  return `
update ${schema}.analyses set
  lock_owner        = $2,
  lock_expires_at   = to_timestamp($3::float8 / 1000),
  lock_heartbeat_at = to_timestamp($4::float8 / 1000),
  lock_token        = $5::bigint
where analysis_id = $1`;
}
