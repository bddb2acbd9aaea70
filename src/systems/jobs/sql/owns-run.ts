/**
 * Whether a run is still this worker's.
 *
 * $1 id, $2 worker, $3 epoch, $4 version, $5 attempt → 0 or 1 row
 */
import { ownedByWorker } from './finish.ts';

export function ownsRunStatement(schema: string): string {
  return `select r.id from ${schema}.job_runs r where r.id = $1::bigint and ${ownedByWorker}`;
}
