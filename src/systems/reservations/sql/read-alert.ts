import { toMs } from './reservation-columns.ts';

/** $1 id → 0 or 1 row */
export function readAlertStatement(schema: string): string {
  return `
select a.id, a.rule, a.subject, a.level, a.details, ${toMs('a.opened_at')} as "openedAtMs",
  ${toMs('a.closed_at')} as "closedAtMs"
from ${schema}.alerts a where a.id = $1::bigint`;
}
