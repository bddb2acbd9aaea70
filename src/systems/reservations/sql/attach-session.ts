/**
 * The provider has answered, or a lost session was found.
 *
 * $1 payment, $2 session, $3 url, $4 expires ms → 0 rows: it has one already
 */
import { paymentColumns } from './payment-columns.ts';

export function attachSessionStatement(schema: string): string {
  return `
update ${schema}.payments p set
  session_id = $2::text, session_url = $3::text, expires_at = to_timestamp($4::float8 / 1000), state = 'open',
  checked_at = ${schema}.reservations_now()
where p.id = $1::bigint and p.state = 'asked' and p.session_id is null
returning ${paymentColumns('p')}`;
}
