/** $1 video, $2 attempt, $3 state, $4 render id (null: unchanged), $5 error → 0 rows: it has ended */
export function recordRenderAttemptStatement(schema: string): string {
  return `
update ${schema}.render_attempts set
  state = $3::text, render_id = coalesce($4::text, render_id), error = $5::text,
  finished_at = case when $3::text in ('done', 'failed') then ${schema}.reservations_now() end
where video_id = $1::bigint and attempt = $2::integer and state in ('asked', 'working')
returning attempt`;
}
