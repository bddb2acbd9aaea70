/** $1 status or null, $2 the last id of the page before or null, $3 limit → by id, without input and result */
export function listAnalysesStatement(schema: string): string {
  return `
select a.analysis_id as "analysisId", a.status, a.error, a.lock_owner as "lockOwner", a.lock_token as "lockToken",
  floor(extract(epoch from a.created_at) * 1000)::float8 as "createdAtMs",
  floor(extract(epoch from a.finished_at) * 1000)::float8 as "finishedAtMs"
from ${schema}.analyses a
where ($1::text is null or a.status = $1::text) and ($2::text is null or a.analysis_id > $2::text)
order by a.analysis_id
limit $3::int`;
}
