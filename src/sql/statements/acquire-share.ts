/**
 * Takes a share of a capacity, or is refused, or stands in line.
 *
 * $1 key, $2 grant id, $3 ttl ms, $4 weight, $5 capacity, $6 stand in line → 1 row, columns as in acquire
 */
export function acquireShareStatement(schema: string): string {
  return `
select token, false as block, refusal
from ${schema}.lease_acquire_share($1::text, $2::text, $3::float8, $4::bigint, $5::bigint, $6::boolean)`;
}
