/**
 * Runs of any definitions, each with its own options, none with an idempotency key. An unknown definition makes no row.
 * Ids are in the order of the runs, whatever the planner thinks of the join: equals start in that order.
 *
 * $1–$6 columns (`enqueueParts.zipped`) → n
 */
import { enqueueParts } from './enqueue-parts.ts';
import { wakePart } from './wake-part.ts';

export function enqueueRowsStatement(schema: string, channel: string): string {
  return `
with ins as (
  insert into ${schema}.job_runs (job_definition_id, queue_id, payload, priority, scheduled_for, gate, concurrency_key, rate_key)
  select d.id, d.queue_id, r.p, ${enqueueParts.columns}
  from ${enqueueParts.zipped()}
  join ${schema}.job_definitions d on d.id = r.d
  order by r.n
  returning queue_id, gate, priority, scheduled_for as at
)
select (select count(*)::int from ins) as n,
  ${wakePart(schema, channel, `select queue_id, gate, priority, at from ins`)} as woke`;
}
