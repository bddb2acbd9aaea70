/**
 * Stored before the sender is answered. The same event again changes nothing.
 *
 * $1 id, $2 type, $3 subject, $4 livemode, $5 created ms, $6 state → 1 row if it is new
 */
export function storeEventStatement(schema: string): string {
  return `
insert into ${schema}.stripe_events (id, type, subject, livemode, created_at, received_at, state, work_at, done_at)
values ($1::text, $2::text, $3::text::jsonb, $4::boolean, to_timestamp($5::float8 / 1000), ${schema}.reservations_now(), $6::text,
  ${schema}.reservations_now(), case when $6::text = 'ignored' then ${schema}.reservations_now() end)
on conflict (id) do nothing
returning id`;
}
