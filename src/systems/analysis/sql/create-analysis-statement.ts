/** $1 id, $2 input → one row, or none: there is one of this id already. */
export function createAnalysisStatement(schema: string): string {
  return `
insert into ${schema}.analyses (analysis_id, input) values ($1, $2::jsonb)
on conflict (analysis_id) do nothing
returning analysis_id`;
}
