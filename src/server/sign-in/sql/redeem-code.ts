/** Uses a code that is neither used nor over. Zero rows: it is. $1 sha256 */
export function redeemCodeStatement(schema: string): string {
  return `
update ${schema}.sign_in_codes c set used_at = statement_timestamp()
where c.sha256 = $1 and c.used_at is null and c.expires_at > statement_timestamp()
returning c.name, c.role`;
}
