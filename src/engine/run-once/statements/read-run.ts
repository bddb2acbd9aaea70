/**
 * What a key holds, after a completion was refused or its outcome is unknown. The lock waits for a commit under way:
 * what is read is not about to change by a transaction that had already stored its answer.
 *
 * $1 scope, $2 key → 0 or 1 row
 */
import { runColumns } from './run-columns.ts';

export function readRunStatement(schema: string): string {
  return `
select ${runColumns('r')}
from ${schema}.run_once r
where r.scope = $1::text and r.key = $2::text
for share of r`;
}
