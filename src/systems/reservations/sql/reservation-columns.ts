/** A reservation as its readers want it; times in ms since 1970. */
export function reservationColumns(schema: string, r: string): string {
  return `${r}.id, ${r}.user_id as "userId", ${r}.video_id as "videoId", ${r}.projection_date::text as "projectionDate",
  ${r}.slot_number as "slotNumber", ${r}.status, ${r}.payment_id as "paymentId", ${r}.amount, ${r}.currency, ${r}.version,
  ${toMs(`${r}.hold_expires_at`)} as "holdExpiresAtMs", ${toMs(`${r}.slot_starts_at`)} as "slotStartsAtMs",
  ${toMs(`${r}.pay_until`)} as "payUntilMs", ${toMs(`${r}.expiring_since`)} as "expiringSinceMs",
  ${r}.status = 'hold' and ${r}.hold_expires_at <= ${schema}.reservations_now() as overdue,
  ${r}.slot_starts_at <= ${schema}.reservations_now() as begun,
  ${toMs(`${schema}.reservations_now()`)} as "nowMs"`;
}

/** Whole milliseconds, rounded down: exact in JavaScript, and the same at every reading. */
export function toMs(expression: string): string {
  return `floor(date_part('epoch', ${expression}) * 1000)::float8`;
}
