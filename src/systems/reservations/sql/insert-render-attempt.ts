/** $1 video, $2 attempt, $3 token → written before the renderer is called */
export function insertRenderAttemptStatement(schema: string): string {
  return `
insert into ${schema}.render_attempts (video_id, attempt, token, state, started_at)
values ($1::bigint, $2::integer, $3::text, 'asked', ${schema}.reservations_now())`;
}
