/**
 * Runs with their options, answered one by one. A key seen before, even if its run is long finished, makes no run: the
 * answer names the run that has it. An unknown definition makes no row at all.
 *
 * $1 JSON array of {i, d, p, pr, s, c, r, k}: position, definition, payload, priority, scheduledFor, concurrency
 * key, rate key, idempotency key → i, id, created, holder
 */
import { enqueueParts } from './enqueue-parts.ts';
import { wakePart } from './wake-part.ts';

export function enqueueIdsStatement(schema: string, channel: string): string {
  return `
with f as materialized (
  select nextval('${schema}.job_runs_id_seq') as id, d.queue_id, r.i, r.d, r.p, r.k,
    ${enqueueParts.columns}
  from json_to_recordset($1::json) as r(i int, d int, p json, pr smallint, s timestamptz, c text, r text, k text)
  join ${schema}.job_definitions d on d.id = r.d
), k as (
  insert into ${schema}.job_keys (idempotency_key, run_id) select k, id from f where k is not null
  on conflict (idempotency_key) do nothing returning run_id
), ins as (
  insert into ${schema}.job_runs
    (id, job_definition_id, queue_id, payload, priority, scheduled_for, gate, concurrency_key, rate_key, idempotency_key)
  overriding system value
  select f.id, f.d, f.queue_id, f.p, f.priority, f.at, f.gate, f.key, f.rate_key, f.k
  from f where f.k is null or exists (select from k where k.run_id = f.id)
  returning id
)
select f.i, f.id, exists (select from ins where ins.id = f.id) as created,
  (select x.run_id from ${schema}.job_keys x where x.idempotency_key = f.k) as holder,
  ${wakePart(schema, channel, `select f.queue_id, f.gate, f.priority, f.at from f`)} as woke
from f order by f.i`;
}
