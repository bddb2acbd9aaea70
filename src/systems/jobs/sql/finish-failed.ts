/**
 * RUNNING → FAILED | TIMED_OUT by its worker, and in the same statement the next attempt as a new row. A requested
 * cancel wins: the run ends CANCELED and has no next attempt. Guards as in `finish`.
 *
 * $1–$6 as in finish, $7 JSON array of {id, reason, error, delay} for every run; delay: seconds until the next
 * attempt, null = none → n, and the next attempts
 */
import { ownedByWorker } from './finish.ts';
import { historyPart, retryPart } from './run-parts.ts';
import { nextOfKeyPart, wakePart } from './wake-part.ts';

export function finishFailedStatement(schema: string, channel: string): string {
  return `
with d as (
  delete from ${schema}.job_runs r where r.id = any($1::text::bigint[]) and ${ownedByWorker} returning r.*
), f as materialized (
  select * from json_to_recordset($7::json) as f(id bigint, reason text, error text, delay float8)
), h as (${historyPart(schema, {
    from: 'd left join f on f.id = d.id',
    state: `case when d.cancel_requested_at is null then $6::text else 'CANCELED' end`,
    reason: 'f.reason',
    error: 'f.error',
  })}
), n as (${retryPart(schema, { from: 'd join f as w on w.id = d.id and w.delay is not null', delay: 'w.delay' })},
  queue_id, gate, priority, scheduled_for as at
)
select (select count(*)::int from d) as n, (select count(*)::int from n) as retries,
  ${wakePart(schema, channel, 'select queue_id, gate, priority, at from n')} as woke,
  ${nextOfKeyPart(schema, channel, 'd')} as told`;
}
