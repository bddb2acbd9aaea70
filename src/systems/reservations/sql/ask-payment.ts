/**
 * Written before the provider is called: a session whose reply gets lost is still known to have been asked for.
 *
 * $1 reservation, $2 provider, $3 amount, $4 currency, $5 session ms → 1 row
 */
import { paymentColumns } from './payment-columns.ts';

export function askPaymentStatement(schema: string): string {
  return `
insert into ${schema}.payments as p
  (reservation_id, provider, state, amount, currency, expires_at, asked_at, checked_at)
values ($1::bigint, $2::text, 'asked', $3::integer, $4::text,
  ${schema}.reservations_now() + $5::float8 * interval '1 ms', ${schema}.reservations_now(), ${schema}.reservations_now())
returning ${paymentColumns('p')}`;
}
