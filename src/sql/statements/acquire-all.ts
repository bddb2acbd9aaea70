/**
 * All keys or none, without waiting, in one trip. A refusal names the first busy key.
 *
 * $1 keys[], $2 grant id, $3 ttl ms → one row per key, or one row with granted = false
 */
export function acquireAllStatement(schema: string): string {
  return `
select granted, key, token, block, owner, left_ms, holders
from ${schema}.lease_acquire_all($1::text[], $2::text, $3::float8)`;
}
