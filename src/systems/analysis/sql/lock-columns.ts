/** The lock in µs, and the database's clock. */
export const lockColumns = `
  a.status, a.lock_owner as "owner", a.lock_token as "token",
  (extract(epoch from a.lock_expires_at) * 1000000)::bigint as "endUs",
  (extract(epoch from a.lock_heartbeat_at) * 1000000)::bigint as "heartbeatUs",
  (extract(epoch from statement_timestamp()) * 1000000)::bigint as "nowUs"`;
