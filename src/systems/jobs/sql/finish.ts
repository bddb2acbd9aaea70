/**
 * RUNNING → end for runs that end alike, grouped by (epoch, version, attempt, end state), so that the guards are
 * scalars. The epoch is the one that the row stored at its start: valid in any later epoch. The row moves to the
 * history in the same statement. Fewer rows than ids: `refused` says which and why.
 *
 * $1 ids, $2 worker, $3 epoch, $4 version, $5 attempt, $6 end state, $7 JSON array of {id, result, reason, error}
 * for the runs that have any of them → n
 */
import { historyPart } from './run-parts.ts';
import { nextOfKeyPart } from './wake-part.ts';

export const ownedByWorker = `case when r.state = 'RUNNING' and r.assigned_worker_id = $2::bigint
      and r.leader_epoch = $3::bigint and r.version = $4::int and r.attempt = $5::smallint then true else false end`;

export function finishStatement(schema: string, channel: string): string {
  return `
with d as (
  delete from ${schema}.job_runs r where r.id = any($1::text::bigint[]) and ${ownedByWorker} returning r.*
), h as (${historyPart(schema, {
    from: `d left join json_to_recordset($7::json) as f(id bigint, result json, reason text, error text) on f.id = d.id`,
    state: '$6::text',
    result: 'f.result',
    reason: 'f.reason',
    error: 'f.error',
  })}
)
select (select count(*)::int from d) as n, ${nextOfKeyPart(schema, channel, 'd')} as told`;
}
