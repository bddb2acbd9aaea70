import { alertConditions } from './alert-conditions.ts';

/** → conditions that have no open alert yet */
export function listAlertConditionsStatement(schema: string): string {
  return `
with conditions as (${alertConditions(schema)}
)
select d.rule, d.subject, d.level, d.details
from conditions d
where not exists (
  select from ${schema}.alerts a where a.rule = d.rule and a.subject = d.subject and a.closed_at is null
)`;
}
