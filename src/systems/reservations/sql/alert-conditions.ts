/**
 * What should be known to a person now, as (rule, subject, level, details). An alert is open while its row is here: it
 * is raised once, and closes by itself when the row is gone. Rules about one moment stay for a day.
 */
export function alertConditions(schema: string): string {
  const now = `${schema}.reservations_now()`;
  return `
  select 'expiry-refunds' as rule, 'last hour' as subject, 'warning' as level, jsonb_build_object('count', count(*)) as details
  from ${schema}.race_log
  where scenario = 'EXPIRED_AFTER_PAYMENT' and resolution = 'REFUNDED' and timestamp > ${now} - interval '1 hour'
  having count(*) >= 5
  union all
  select 'render-refund', 'last day', 'critical', jsonb_build_object('count', count(*))
  from ${schema}.race_log
  where scenario = 'RENDER_FAILURE' and resolution = 'REFUNDED' and timestamp > ${now} - interval '24 hours'
  having count(*) >= 1
  union all
  select 'refund-manual', 'reservation:' || p.reservation_id, 'critical',
    jsonb_build_object('amount', min(f.amount), 'reason', min(f.reason))
  from ${schema}.refunds f join ${schema}.payments p on p.id = f.payment_id
  where f.state = 'manual'
  group by p.reservation_id
  union all
  select distinct 'render-manual', 'video:' || v.id, 'critical', jsonb_build_object('title', v.title, 'failure', v.failure)
  from ${schema}.videos v join ${schema}.reservations r on r.video_id = v.id and r.status = 'confirmed'
  where v.status = 'failed'
  union all
  select distinct 'payment-differs', 'reservation:' || p.reservation_id, 'critical', '{}'::jsonb
  from ${schema}.payments p
  where p.state = 'differs' and not p.settled
  union all
  select distinct 'dispute', 'reservation:' || p.reservation_id, 'critical', '{}'::jsonb
  from ${schema}.payments p
  where p.dispute_state = 'open'
  union all
  select 'event-parked', 'event:' || e.id, 'critical', jsonb_build_object('type', e.type, 'why', e.note)
  from ${schema}.stripe_events e
  where e.state = 'received' and e.attempts >= 5
  union all
  select 'effect-parked', 'effect:' || x.key, 'critical', jsonb_build_object('error', x.last_error)
  from ${schema}.reservation_effects x
  where x.state = 'parked'
  union all
  select a.rule, a.subject, a.level, a.details
  from ${schema}.alerts a
  where a.closed_at is null and a.opened_at > ${now} - interval '24 hours'
    and a.rule in ('other-mode', 'provider-unreachable', 'refunded-in-part', 'unruled')`;
}
