/** $1 scenario, $2 reservation, $3 video, $4 resolution, $5 cause (null: every one counts), $6 details */
export function writeRaceStatement(schema: string): string {
  return `
insert into ${schema}.race_log (scenario, reservation_id, video_id, resolution, timestamp, cause, details)
values ($1::text, $2::bigint, $3::bigint, $4::text, ${schema}.reservations_now(), $5::text, $6::text::jsonb)
on conflict (cause) do nothing
returning id`;
}
