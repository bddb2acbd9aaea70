import { toMs } from './reservation-columns.ts';

/** $1 open only, $2 limit, $3 below this id or null → the newest first */
export function listAlertsStatement(schema: string): string {
  return `
select a.id, a.rule, a.subject, a.level, a.details, ${toMs('a.opened_at')} as "openedAtMs",
  ${toMs('a.closed_at')} as "closedAtMs"
from ${schema}.alerts a
where (not $1::boolean or a.closed_at is null) and ($3::bigint is null or a.id < $3::bigint)
order by a.id desc
limit $2::integer`;
}
