/** $1 user, $2 key, $3 reservation → 1 row unless the key was used meanwhile */
export function insertHoldKeyStatement(schema: string): string {
  return `
insert into ${schema}.hold_keys (user_id, idempotency_key, reservation_id, created_at)
values ($1::bigint, $2::text, $3::bigint, ${schema}.reservations_now())
on conflict do nothing
returning reservation_id`;
}
