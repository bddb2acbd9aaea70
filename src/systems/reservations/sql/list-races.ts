import { toMs } from './reservation-columns.ts';

/** $1 limit → races, the newest first */
export function listRacesStatement(schema: string): string {
  return `
select l.event, l.scenario, l.reservation_id as "reservationId", l.video_id as "videoId", l.resolution,
  ${toMs('l.timestamp')} as timestamp, l.details
from ${schema}.race_log l
order by l.id desc
limit $1::integer`;
}
