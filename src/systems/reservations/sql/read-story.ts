import { toMs } from './reservation-columns.ts';

/** $1 reservation → 1 row: everything that was written down about it, each kind as a JSON list, oldest first */
export function readStoryStatement(schema: string): string {
  const list = (select: string, order: string): string =>
    `(select coalesce(jsonb_agg(to_jsonb(x) order by ${order}), '[]'::jsonb) from (${select}) x)`;
  return `
with own as materialized (
  select q.* from ${schema}.payments q where q.reservation_id = $1::bigint
)
select
  ${list(
    `
    select j.id, ${toMs('j.at')} as "atMs", j.event, j.actor, j.from_status as "from", j.to_status as "to",
      j.payment_id as "paymentId", j.details
    from ${schema}.reservation_journal j where j.reservation_id = $1::bigint`,
    'x.id',
  )} as journal,
  ${list(
    `
    select q.id, q.provider, q.state, q.session_id as "sessionId", q.payment_intent_id as "paymentIntentId", q.amount,
      q.currency, q.paid_amount as "paidAmount", q.dispute_state as "disputeState",
      ${toMs('q.asked_at')} as "askedAtMs", ${toMs('q.charged_at')} as "chargedAtMs"
    from own q`,
    'x.id',
  )} as payments,
  ${list(
    `
    select f.id, f.payment_id as "paymentId", f.origin, f.cause, f.state, f.amount, f.currency, f.generation, f.failures,
      f.reason, f.provider_refund_id as "providerRefundId", ${toMs('f.requested_at')} as "requestedAtMs",
      ${toMs('f.finished_at')} as "finishedAtMs"
    from ${schema}.refunds f join own q on q.id = f.payment_id`,
    'x.id',
  )} as refunds,
  ${list(
    `
    select n.id, n.template, n.state, n.note, n.message_id as "messageId", n.data,
      ${toMs('n.created_at')} as "createdAtMs", ${toMs('n.finished_at')} as "finishedAtMs"
    from ${schema}.notifications n where n.reservation_id = $1::bigint`,
    'x.id',
  )} as mails,
  ${list(
    `
    select l.id, l.scenario, l.resolution, ${toMs('l.timestamp')} as "atMs", l.details
    from ${schema}.race_log l where l.reservation_id = $1::bigint`,
    'x.id',
  )} as races,
  ${list(
    `
    select e.id, e.type, e.state, e.note, ${toMs('e.received_at')} as "receivedAtMs"
    from ${schema}.stripe_events e
    where e.subject->>'reservationId' = $1::bigint::text
      or e.subject->>'sessionId' in (select q.session_id from own q)
      or e.subject->>'paymentIntentId' in (select q.payment_intent_id from own q)
    limit 100`,
    'x."receivedAtMs", x.id',
  )} as events,
  ${list(
    `
    select a.attempt, a.state, a.error, ${toMs('a.started_at')} as "startedAtMs", ${toMs('a.finished_at')} as "finishedAtMs"
    from ${schema}.render_attempts a
    where a.video_id = (select r.video_id from ${schema}.reservations r where r.id = $1::bigint)`,
    'x.attempt',
  )} as renders`;
}
