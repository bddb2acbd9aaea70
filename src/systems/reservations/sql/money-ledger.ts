/**
 * Every payment that brought money, with what became of it. `live` is what a standing reservation was paid with;
 * `given` went back; `owed` is on its way back; a dispute that is open or lost has the money outside.
 */
export function moneyLedger(schema: string): string {
  return `
  select p.id as payment_id, p.reservation_id, p.paid_amount as paid, p.paid_currency as currency, p.settled, p.charged_at,
    r.status, r.payment_id = p.id and r.status in ('confirmed', 'served') as stands,
    coalesce(sum(f.amount) filter (where f.state in ('pending', 'requires_action', 'succeeded')), 0)::integer as given,
    coalesce(sum(f.amount) filter (where f.state in ('pending', 'requires_action', 'succeeded')
      and (f.cause = 'goodwill' or f.origin = 'outside')), 0)::integer as goodwill,
    coalesce(sum(f.amount) filter (where f.state in ('wanted', 'manual')
      and p.dispute_state is distinct from 'open' and p.dispute_state is distinct from 'lost'), 0)::integer as owed,
    coalesce(sum(f.amount) filter (where f.origin = 'automatic' and f.cause <> 'goodwill'
      and f.state <> 'superseded'), 0)::integer as undone,
    p.disputed_amount as disputed
  from ${schema}.payments p
  join ${schema}.reservations r on r.id = p.reservation_id
  left join ${schema}.refunds f on f.payment_id = p.id
  where p.paid_amount is not null
  group by p.id, r.id`;
}
