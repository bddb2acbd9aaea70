import { reservationColumns, toMs } from './reservation-columns.ts';
import { reservationProblem } from './reservation-problem.ts';

/**
 * $1 from day, $2 to day, $3 states joined by commas, $4 customer, $5 text, $6 problems only, $7 below this id, $8 limit;
 * null = any → the newest first
 */
export function listReservationsStatement(schema: string): string {
  return `
select ${reservationColumns(schema, 'r')}, ${toMs('r.created_at')} as "createdAtMs", ${toMs('r.updated_at')} as "updatedAtMs",
  u.name as "customerName", u.email, u.locale, v.title, v.status as "videoStatus",
  f.state as "refundState", f.cause as "refundCause", f.amount as "refundAmount", ${reservationProblem('r', 'v', 'f', 'p')} as problem
from ${schema}.reservations r
join ${schema}.videos v on v.id = r.video_id
join ${schema}.users u on u.id = r.user_id
left join lateral (
  select d.state, d.cause, d.amount
  from ${schema}.payments q join ${schema}.refunds d on d.payment_id = q.id
  where q.reservation_id = r.id
  order by d.state = 'manual' desc, d.id desc limit 1
) f on true
left join lateral (
  select bool_or(q.dispute_state = 'open') as disputed, bool_or(q.state = 'differs' and not q.settled) as differs
  from ${schema}.payments q where q.reservation_id = r.id
) p on true
where ($1::date is null or r.projection_date >= $1::date)
  and ($2::date is null or r.projection_date <= $2::date)
  and ($3::text is null or r.status = any(string_to_array($3::text, ',')))
  and ($4::bigint is null or r.user_id = $4::bigint)
  and ($5::text is null or r.id::text = $5::text or strpos(lower(v.title || ' ' || u.name || ' ' || u.email), lower($5::text)) > 0)
  and (not $6::boolean or ${reservationProblem('r', 'v', 'f', 'p')} is not null)
  and ($7::bigint is null or r.id < $7::bigint)
order by r.id desc
limit $8::integer`;
}
