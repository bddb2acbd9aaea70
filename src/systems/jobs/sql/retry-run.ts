/**
 * An operator's word: an ended run once more, as a new row that names it. One successor at most: the key in job_keys
 * stands against a second operator, the look for a successor against the automatic one, which is always made in the
 * statement that ended the run.
 *
 * $1 id, $2 actor, $3 why → 0 or 1 row
 */
import { wakePart } from './wake-part.ts';

export function retryRunStatement(schema: string, channel: string): string {
  return `
with h as materialized (
  select h.* from ${schema}.job_run_history h
  where h.id = $1::bigint
    and not exists (select from ${schema}.job_runs r where r.retry_of = h.id)
    and not exists (select from ${schema}.job_run_history x where x.retry_of = h.id)
), k as (
  insert into ${schema}.job_keys (idempotency_key, run_id)
  select 'retry:' || h.id, nextval('${schema}.job_runs_id_seq') from h
  on conflict (idempotency_key) do nothing returning run_id
), r as (
  insert into ${schema}.job_runs
    (id, job_definition_id, queue_id, attempt, priority, gate, trigger, concurrency_key, rate_key, idempotency_key,
     payload, due_at, retry_of)
  overriding system value
  select k.run_id, h.job_definition_id, h.queue_id, h.attempt + 1, h.priority,
    (case when h.rate_key is not null then 2 when h.concurrency_key is not null then 1 else 0 end)::smallint, 3,
    h.concurrency_key, h.rate_key, h.idempotency_key, h.payload, h.due_at, h.id
  from h, k
  returning id, queue_id, gate, priority, scheduled_for as at
), a as (
  insert into ${schema}.audit (actor, action, target, before, after, why)
  select $2::text, 'retry', 'run/' || h.id, json_build_object('state', h.state), json_build_object('runId', r.id), $3::text from h, r
)
select r.id, ${wakePart(schema, channel, 'select queue_id, gate, priority, at from r')} as woke from r`;
}
