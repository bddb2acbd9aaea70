/**
 * Leader: events become runs of the definitions that wait for them, and are marked, in one statement.
 *
 * $1 epoch, $2 limit → events, runs
 */
import { leadPart } from './run-parts.ts';
import { wakePart } from './wake-part.ts';

export function processEventsStatement(schema: string, channel: string): string {
  return `
with ${leadPart(schema, '$1')}, e as (
  update ${schema}.events set processed_at = now()
  where id = any(array(
    select id from ${schema}.events where processed_at is null and (select token from lead) is not null
    order by created_at limit $2::int for update skip locked)) and processed_at is null
  returning id, name, payload
), r as (
  insert into ${schema}.job_runs (job_definition_id, queue_id, priority, trigger, gate, concurrency_key, rate_key, payload)
  select f.id, f.queue_id, f.priority, 2,
    (case when f.rate_limit is not null then 2 when f.concurrency <> 'allow' then 1 else 0 end)::smallint,
    case when f.concurrency <> 'allow' then 'd:' || f.id end,
    case when f.rate_limit is not null then f.id || ':' end, e.payload
  from e join ${schema}.job_definitions f on f.event = e.name
  where not f.paused
  order by e.id
  returning queue_id, gate, priority, scheduled_for as at
)
select (select count(*)::int from e) as events, (select count(*)::int from r) as runs,
  ${wakePart(schema, channel, 'select queue_id, gate, priority, at from r')} as woke`;
}
