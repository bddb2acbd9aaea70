/**
 * A session that we made but never heard of again.
 *
 * $1 reservation, $2 provider, $3 session, $4 amount, $5 currency, $6 expires ms → 1 row
 */
import { paymentColumns } from './payment-columns.ts';

export function adoptPaymentStatement(schema: string): string {
  return `
insert into ${schema}.payments as p
  (reservation_id, provider, state, session_id, amount, currency, expires_at, asked_at, checked_at)
values ($1::bigint, $2::text, 'closed', $3::text, $4::integer, $5::text, to_timestamp($6::float8 / 1000),
  ${schema}.reservations_now(), ${schema}.reservations_now())
returning ${paymentColumns('p')}`;
}
