import { toMs } from './reservation-columns.ts';

/**
 * $1 day, $2 slots as JSON, $3 zone → one row per slot, with who has it
 */
export function listDayStatement(schema: string): string {
  return `
with slots as (
  select s.number, s."lengthMinutes", ($1::date + s."startsAt"::time) at time zone $3::text as starts_at
  from jsonb_to_recordset($2::text::jsonb) as s (number integer, "startsAt" text, "lengthMinutes" integer)
)
select s.number as "slotNumber", ${toMs('s.starts_at')} as "startsAtMs",
  ${toMs(`s.starts_at + s."lengthMinutes" * interval '1 minute'`)} as "endsAtMs",
  s.starts_at <= ${schema}.reservations_now() as begun,
  r.id, r.user_id as "userId", r.status,
  coalesce(r.status = 'hold' and r.hold_expires_at <= ${schema}.reservations_now(), false) as overdue,
  ${toMs('r.hold_expires_at')} as "holdExpiresAtMs"
from slots s
left join ${schema}.reservations r
  on r.projection_date = $1::date and r.slot_number = s.number and r.status not in ('expired', 'cancelled')
order by s.number`;
}
