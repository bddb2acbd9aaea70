/**
 * News of refunds and disputes that came before anybody knew their payment: now it is known.
 *
 * $1 payment intent
 */
export function reviveEventsStatement(schema: string): string {
  return `
update ${schema}.stripe_events set state = 'received', work_at = ${schema}.reservations_now(), attempts = 0, done_at = null
where subject->>'paymentIntentId' = $1::text and state <> 'done'`;
}
