/**
 * $1 id → the state, the lock and the clock, or no row. `forUpdate` keeps others from changing it until the end of the
 * transaction; the clock is that of the statement's start, which after waiting is only older and errs safely.
 */
import { lockColumns } from './lock-columns.ts';

export function readLockStatement(schema: string, forUpdate: boolean): string {
  return `
select ${lockColumns}
from ${schema}.analyses a where a.analysis_id = $1${forUpdate ? '\nfor update' : ''}`;
}
