/**
 * Payments that may still bring money and that nobody has looked at for a while.
 *
 * $1 age ms, $2 limit → rows, the longest forgotten first
 */
import { paymentColumns } from './payment-columns.ts';

export function listStalePaymentsStatement(schema: string): string {
  return `
select ${paymentColumns('p')} from ${schema}.payments p
where not p.settled and p.checked_at <= ${schema}.reservations_now() - $1::float8 * interval '1 ms'
order by p.checked_at
limit $2::integer`;
}
