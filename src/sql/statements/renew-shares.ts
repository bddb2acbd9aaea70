/**
 * Renews shares, each with its own TTL, in key order, under the rules of renew.
 *
 * $1 keys[], $2 grant ids[], $3 tokens[], $4 ttl ms[] → the numbers (from 1) of those renewed
 */
export function renewSharesStatement(schema: string): string {
  return `
select n
from ${schema}.lease_renew_shares($1::text[], $2::text[], $3::bigint[], $4::float8[]) n`;
}
