import { toMs } from './reservation-columns.ts';

/** $1 limit → open alerts, the newest first */
export function listOpenAlertsStatement(schema: string): string {
  return `
select a.id, a.rule, a.subject, a.level, a.details, ${toMs('a.opened_at')} as "openedAtMs", null as "closedAtMs"
from ${schema}.alerts a
where a.closed_at is null
order by a.opened_at desc, a.id desc
limit $1::integer`;
}
