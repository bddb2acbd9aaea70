import { toMs } from './reservation-columns.ts';

/** $1 open only, $2 limit → the open ones first, then the newest */
export function listAlertsStatement(schema: string): string {
  return `
select a.id, a.rule, a.subject, a.level, a.details, ${toMs('a.opened_at')} as "openedAtMs",
  ${toMs('a.closed_at')} as "closedAtMs"
from ${schema}.alerts a
where not $1::boolean or a.closed_at is null
order by a.closed_at is not null, a.opened_at desc, a.id desc
limit $2::integer`;
}
