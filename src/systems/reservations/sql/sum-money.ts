import { moneyLedger } from './money-ledger.ts';

/** → the books per currency */
export function sumMoneyStatement(schema: string): string {
  return `
with ledger as (${moneyLedger(schema)}
)
select l.currency, sum(l.paid)::float8 as paid, sum(l.given)::float8 as refunded, sum(l.owed)::float8 as owed,
  sum(l.disputed)::float8 as disputed, sum(l.goodwill)::float8 as goodwill,
  sum(case when l.stands then l.paid - l.given - l.disputed else 0 end)::float8 as live,
  sum(case when not l.settled then l.paid - l.given - l.owed else 0 end)::float8 as undecided
from ledger l
group by l.currency
order by l.currency`;
}
