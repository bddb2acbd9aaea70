/**
 * One guarded transition of a video. `failed` starts a new failure, with a window of its own.
 *
 * $1 id, $2 from, $3 version, $4 to, $5 new attempt, $6 tries, $7 url (null: unchanged) → 0 or 1 row
 */
export function moveVideoStatement(schema: string): string {
  return `
update ${schema}.videos v set
  status = $4::text, version = v.version + 1, attempt = $5::integer, tries = $6::integer,
  failure = v.failure + case when $4::text = 'failed' then 1 else 0 end,
  failed_at = case when $4::text = 'failed' then ${schema}.reservations_now() end,
  render_url = coalesce($7::text, v.render_url),
  updated_at = ${schema}.reservations_now()
where v.id = $1::bigint and v.status = $2::text and v.version = $3::integer
returning v.failure, v.attempt`;
}
