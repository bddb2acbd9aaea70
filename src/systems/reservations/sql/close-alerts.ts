import { alertConditions } from './alert-conditions.ts';

/** → the alerts whose condition is gone, closed now */
export function closeAlertsStatement(schema: string): string {
  return `
with conditions as materialized (${alertConditions(schema)}
)
update ${schema}.alerts a set closed_at = ${schema}.reservations_now()
where a.closed_at is null
  and not exists (select from conditions d where d.rule = a.rule and d.subject = a.subject)
returning a.id`;
}
