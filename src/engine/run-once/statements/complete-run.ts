/**
 * Stores the answer. Only the claim that stands may do it; a claim that has ended may, while nobody has taken it over.
 * Zero rows = refused: answer with what is stored, and let the transaction around it roll back.
 *
 * $1 scope, $2 key, $3 token, $4 owner, $5 state, $6 answer → 0 or 1 row
 */
export function completeRunStatement(schema: string): string {
  return `
update ${schema}.run_once r
set state = $5::text, answer = $6::text::json, finished_at = statement_timestamp()
where r.scope = $1::text and r.key = $2::text and r.token = $3::bigint and r.owner = $4::text and r.state = 'running'
returning r.token`;
}
