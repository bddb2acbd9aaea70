/**
 * One event, once per dedupe key; the leader is told.
 *
 * $1 name, $2 payload, $3 dedupe key or null → 0 or 1 row: nothing = seen before
 */
export function emitEventStatement(schema: string, channel: string): string {
  return `
with e as (
  insert into ${schema}.events (name, payload, dedupe_key) values ($1::text, $2::json, $3::text)
  on conflict (dedupe_key) do nothing returning id
)
select id, pg_notify('${channel}', 'lead') as told from e`;
}
