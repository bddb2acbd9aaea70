/**
 * The same mail once more, under a key of its own: the earlier Message-ID would be taken for a duplicate and hidden. While
 * one of them still waits to be sent no further one is made.
 *
 * $1 id → 1 row if there is a new one
 */
export function repeatNotificationStatement(schema: string): string {
  return `
with asked as (
  select n.*, regexp_replace(n.key, ':again:\\d+$', '') as cause from ${schema}.notifications n where n.id = $1::bigint
),
family as (
  select f.state from ${schema}.notifications f join asked a
  on f.reservation_id = a.reservation_id and regexp_replace(f.key, ':again:\\d+$', '') = a.cause
)
insert into ${schema}.notifications (key, user_id, reservation_id, template, data, created_at)
select a.cause || ':again:' || (select count(*) from family), a.user_id, a.reservation_id, a.template, a.data,
  ${schema}.reservations_now()
from asked a where not exists (select 1 from family where state = 'wanted')
on conflict (key) do nothing
returning id, key`;
}
