/**
 * Runs of any definitions, each with its own options, some with an idempotency key. A key seen before, even if its run is
 * long finished, makes no run. An unknown definition makes no row.
 *
 * $1–$6 columns (`enqueueParts.zipped`), $7 idempotency keys → n made, known: of a definition that is there
 */
import { enqueueParts } from './enqueue-parts.ts';
import { wakePart } from './wake-part.ts';

export function enqueueKeyedStatement(schema: string, channel: string): string {
  return `
with f as materialized (
  select nextval('${schema}.job_runs_id_seq') as id, d.id as d, d.queue_id, r.p, r.k, ${enqueueParts.columns}
  from ${enqueueParts.zipped('$7')}
  join ${schema}.job_definitions d on d.id = r.d
  order by r.n
), k as (
  insert into ${schema}.job_keys (idempotency_key, run_id) select k, id from f where k is not null
  on conflict (idempotency_key) do nothing returning run_id
), ins as (
  insert into ${schema}.job_runs
    (id, job_definition_id, queue_id, payload, priority, scheduled_for, gate, concurrency_key, rate_key, idempotency_key)
  overriding system value
  select f.id, f.d, f.queue_id, f.p, f.priority, f.at, f.gate, f.key, f.rate_key, f.k
  from f left join k on k.run_id = f.id where f.k is null or k.run_id is not null
  returning 1
)
select (select count(*)::int from ins) as n, (select count(*)::int from f) as known,
  ${wakePart(schema, channel, `select f.queue_id, f.gate, f.priority, f.at from f`)} as woke`;
}
