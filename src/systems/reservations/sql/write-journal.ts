/**
 * What people of the house do is in the audit too, once: not what follows from it.
 *
 * $1 event, $2 reservation, $3 video, $4 payment, $5 actor, $6 from, $7 to, $8 details
 */
export function writeJournalStatement(schema: string): string {
  return `
with audited as (
  insert into ${schema}.audit (actor, action, target, before, after)
  select substr($5::text, 7), $1::text,
    case when $2::bigint is not null then 'reservation/' || $2::bigint when $3::bigint is not null then 'video/' || $3::bigint
      else 'payment/' || $4::bigint end,
    case when $6::text is not null then json_build_object('status', $6::text) end,
    case when $7::text is not null then json_build_object('status', $7::text) end
  where $5::text like 'admin:%' and not ($8::text::jsonb ? 'effect')
)
insert into ${schema}.reservation_journal
  (at, event, reservation_id, video_id, payment_id, actor, from_status, to_status, details)
values (${schema}.reservations_now(), $1::text, $2::bigint, $3::bigint, $4::bigint, $5::text, $6::text, $7::text, $8::text::jsonb)`;
}
