import { toMs } from './reservation-columns.ts';

/** $1 scenario, $2 below this id, $3 limit; null = any → the newest first */
export function pageRacesStatement(schema: string): string {
  return `
select l.id, l.event, l.scenario, l.reservation_id as "reservationId", l.video_id as "videoId", l.resolution,
  ${toMs('l.timestamp')} as timestamp, l.details
from ${schema}.race_log l
where ($1::text is null or l.scenario = $1::text) and ($2::bigint is null or l.id < $2::bigint)
order by l.id desc
limit $3::integer`;
}
