/** $1 event, $2 reservation, $3 video, $4 payment, $5 actor, $6 from, $7 to, $8 details */
export function writeJournalStatement(schema: string): string {
  return `
insert into ${schema}.reservation_journal
  (at, event, reservation_id, video_id, payment_id, actor, from_status, to_status, details)
values (${schema}.reservations_now(), $1::text, $2::bigint, $3::bigint, $4::bigint, $5::text, $6::text, $7::text, $8::text::jsonb)`;
}
