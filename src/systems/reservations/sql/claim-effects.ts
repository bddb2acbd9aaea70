/**
 * Takes due effects. A claim that ends without a word is taken over; its number tells the two apart.
 *
 * $1 limit, $2 lease ms → rows
 */
export function claimEffectsStatement(schema: string): string {
  return `
update ${schema}.reservation_effects e set
  claim = e.claim + 1, claimed_until = ${schema}.reservations_now() + $2::float8 * interval '1 ms'
where e.id in (
  select w.id from ${schema}.reservation_effects w
  where w.state = 'waiting' and w.run_at <= ${schema}.reservations_now() and (w.claimed_until is null or w.claimed_until <= ${schema}.reservations_now())
  order by w.run_at, w.id
  limit $1::integer
  for update skip locked
)
returning e.id, e.name, e.key, e.payload, e.attempts, e.claim`;
}
