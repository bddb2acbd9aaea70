import { toMs } from './reservation-columns.ts';

/** $1 video, $2 attempt → 0 or 1 row */
export function readRenderAttemptStatement(schema: string): string {
  return `
select a.token, a.render_id as "renderId", a.state, v.status, v.attempt = a.attempt as current, v.source,
  ${toMs('a.started_at')} as "startedAtMs", ${toMs(`${schema}.reservations_now()`)} as "nowMs"
from ${schema}.render_attempts a join ${schema}.videos v on v.id = a.video_id
where a.video_id = $1::bigint and a.attempt = $2::integer`;
}
