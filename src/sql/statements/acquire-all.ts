/**
 * All keys or none, without waiting, in one trip. A refusal names the first busy key.
 *
 * $1 keys[], $2 grant id, $3 ttl ms → one row per key, or one row with a refusal
 */
export function acquireAllStatement(schema: string): string {
  return `
select key, token, block, refusal
from ${schema}.lease_acquire_all($1::text[], $2::text, $3::float8)`;
}
