/**
 * Raised once: while it is open, the same rule about the same subject adds nothing.
 *
 * $1 rule, $2 subject, $3 level, $4 details → 1 row if it is new
 */
export function raiseAlertStatement(schema: string): string {
  return `
insert into ${schema}.alerts (rule, subject, level, details, opened_at)
values ($1::text, $2::text, $3::text, $4::text::jsonb, ${schema}.reservations_now())
on conflict (rule, subject) where closed_at is null do nothing
returning id`;
}
