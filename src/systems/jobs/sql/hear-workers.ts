/**
 * Leader: what Redis has heard is carried into the rows, many in one statement, so that every judgement of silence stays
 * in the database. Never backwards.
 *
 * $1 epoch, $2 [{ id, age (seconds), load }]
 */
import { leadPart } from './run-parts.ts';

export function hearWorkersStatement(schema: string): string {
  return `
with ${leadPart(schema, '$1')}
update ${schema}.workers w
set seen_at = greatest(w.seen_at, now() - make_interval(secs => h.age)), load = h.load
from json_to_recordset($2::json) as h (id bigint, age float8, load int)
where w.id = h.id and w.state <> 'STOPPED' and (select token from lead) is not null
returning w.id`;
}
