/**
 * The result and the end of the lock in one write, by whoever still holds it.
 *
 * $1 id, $2 owner, $3 token, $4 status, $5 result, $6 error → one row; none: refused
 */
export function finishAnalysisStatement(schema: string): string {
  return `
update ${schema}.analyses set
  status            = $4,
  result            = $5::jsonb,
  error             = $6,
  result_token      = $3::bigint,
  finished_at       = statement_timestamp(),
  lock_owner        = null,
  lock_expires_at   = null,
  lock_heartbeat_at = null
where analysis_id = $1 and lock_owner = $2 and lock_token = $3::bigint and status not in ('READY', 'FAILED')
returning analysis_id`;
}
