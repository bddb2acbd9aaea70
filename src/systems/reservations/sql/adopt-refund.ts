/**
 * A refund that a person made at the provider: in the ledger it counts like any other.
 *
 * $1 payment, $2 provider's id, $3 amount, $4 currency, $5 state, $6 finished → 1 row if that is news
 */
export function adoptRefundStatement(schema: string): string {
  return `
insert into ${schema}.refunds as f
  (payment_id, origin, cause, amount, currency, state, provider_refund_id, requested_at, checked_at, finished_at)
values ($1::bigint, 'outside', 'outside', $3::integer, $4::text, $5::text, $2::text, ${schema}.reservations_now(), ${schema}.reservations_now(),
  case when $6::boolean then ${schema}.reservations_now() end)
on conflict (provider_refund_id) do update set
  state = excluded.state, checked_at = excluded.checked_at, finished_at = excluded.finished_at
where f.origin = 'outside' and f.state <> excluded.state
returning f.id`;
}
