/**
 * Ends every holder's grant by an operator's word: the token rises, the reason is kept, the holders' processes are
 * told, then the line gets its turn.
 *
 * $1 key, $2 by, $3 reason, $4 accept ms → 1 row if somebody held it
 */
export function breakLeaseStatement(schema: string): string {
  return `
select owners, token
from ${schema}.lease_break($1::text, $2::text, $3::text, $4::float8)`;
}
