/**
 * Takes events to work on. One that nobody finishes comes back after a while.
 *
 * $1 limit, $2 lease ms → rows
 */
export function claimEventsStatement(schema: string): string {
  return `
update ${schema}.stripe_events e set
  work_at = ${schema}.reservations_now() + $2::float8 * interval '1 ms', attempts = e.attempts + 1
where e.id in (
  select w.id from ${schema}.stripe_events w
  where w.state = 'received' and w.work_at <= ${schema}.reservations_now()
  order by w.work_at
  limit $1::integer
  for update skip locked
)
returning e.id, e.type, e.subject, e.livemode, e.attempts`;
}
