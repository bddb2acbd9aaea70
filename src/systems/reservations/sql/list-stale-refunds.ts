/**
 * Refunds under way that nobody has looked at for a while.
 *
 * $1 age ms, $2 limit → rows
 */
export function listStaleRefundsStatement(schema: string): string {
  return `
select f.id, f.state, f.generation, p.payment_intent_id as "paymentIntentId"
from ${schema}.refunds f join ${schema}.payments p on p.id = f.payment_id
where f.state in ('wanted', 'pending', 'requires_action') and p.dispute_state is distinct from 'open'
  and f.checked_at <= ${schema}.reservations_now() - $1::float8 * interval '1 ms'
order by f.checked_at
limit $2::integer`;
}
