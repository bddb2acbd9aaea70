/**
 * Gives a claim up without an answer: the next caller with the same input runs. The record stays, so that another
 * input is still refused, and the token keeps rising. Without an owner no late renewal of this claim finds it.
 *
 * $1 scope, $2 key, $3 token, $4 owner
 */
export function endClaimStatement(schema: string): string {
  return `
update ${schema}.run_once r
set owner = '', expires_at = least(r.expires_at, statement_timestamp())
where r.scope = $1::text and r.key = $2::text and r.token = $3::bigint and r.owner = $4::text and r.state = 'running'`;
}
