/** $1 name, $2 key, $3 payload, $4 run at ms (null: at once) → 1 row if the key is new */
export function enqueueEffectStatement(schema: string): string {
  return `
insert into ${schema}.reservation_effects (name, key, payload, run_at, created_at)
values ($1::text, $2::text, $3::text::jsonb, coalesce(to_timestamp($4::float8 / 1000), ${schema}.reservations_now()), ${schema}.reservations_now())
on conflict (key) do nothing
returning id`;
}
