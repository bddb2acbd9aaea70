/** $1 id → the analysis, or no row. */
export function readAnalysisStatement(schema: string): string {
  return `
select a.status, a.input, a.result, a.error, a.result_token as "resultToken",
  a.lock_owner as "lockOwner", a.lock_token as "lockToken",
  (extract(epoch from a.lock_expires_at) * 1000)::float8 as "expiresMs",
  (extract(epoch from a.lock_heartbeat_at) * 1000)::float8 as "heartbeatMs"
from ${schema}.analyses a where a.analysis_id = $1`;
}
