import { moneyLedger } from './money-ledger.ts';

/** $1 limit → payments whose money does not add up, and why */
export function listOffendingMoneyStatement(schema: string): string {
  return `
with ledger as (${moneyLedger(schema)}
), judged as (
  select l.*, case
    when l.given > l.paid then 'more was refunded than paid'
    when l.stands and l.undone > 0 then 'the reservation stands, and its payment is refunded'
    when not l.stands and l.settled and l.given + l.owed + l.disputed < l.paid then 'kept without service'
    when not l.settled and l.charged_at < ${schema}.reservations_now() - interval '1 hour' then 'undecided for an hour'
  end as problem
  from ledger l
)
select j.payment_id as "paymentId", j.reservation_id as "reservationId", j.status, j.paid, j.given, j.owed, j.disputed,
  j.currency, j.problem
from judged j
where j.problem is not null
union all
select r.payment_id, r.id, r.status, 0, 0, 0, 0, r.currency, 'stands without a payment'
from ${schema}.reservations r
left join ${schema}.payments p on p.id = r.payment_id and p.state = 'paid'
where r.status in ('confirmed', 'served') and p.id is null
order by 2, 1
limit $1::integer`;
}
