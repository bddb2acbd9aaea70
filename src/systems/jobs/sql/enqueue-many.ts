/**
 * Many runs of one definition with the same options. What the definition says (queue, gate, priority) is read here,
 * so an enqueuer with old code does not overrule an operator. Notifies only if a worker said that it is idle; the
 * notice names queue and position, so the sleeper need not look from the front.
 *
 * $1 JSON array of payloads, $2 definition, $3 priority or null, $4 scheduled_for or null → n
 */
import { wakePart } from './wake-part.ts';

export function enqueueManyStatement(schema: string, channel: string): string {
  return `
with d as materialized (
  select d.id, d.queue_id, coalesce($3::smallint, d.priority) as priority, coalesce($4::timestamptz, now()) as at,
    (case when d.rate_limit is not null then 2 when d.concurrency <> 'allow' then 1 else 0 end)::smallint as gate,
    case when d.concurrency <> 'allow' then 'd:' || d.id end as key,
    case when d.rate_limit is not null then d.id || ':' end as rate_key
  from ${schema}.job_definitions d where d.id = $2::int
), ins as (
  insert into ${schema}.job_runs (job_definition_id, queue_id, priority, scheduled_for, gate, concurrency_key, rate_key, payload)
  select d.id, d.queue_id, d.priority, d.at, d.gate, d.key, d.rate_key, j.value
  from d, json_array_elements($1::json) j
  returning 1
)
select (select count(*)::int from ins) as n,
  ${wakePart(schema, channel, `select d.queue_id, d.gate, d.priority, d.at from d`)} as woke`;
}
