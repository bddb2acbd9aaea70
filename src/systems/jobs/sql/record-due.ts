/**
 * Leader: due times of one definition become rows, and its cursor moves, in one statement. A due time that has its
 * row already makes nothing. With \`forbid\`, an occurrence that finds a run alive is skipped and says so; of several
 * fired at once only the first is not overlapped.
 *
 * $1 epoch, $2 definition, $3 cursor as it was read (ms), $4 new cursor (ms), $5 next due time (ms) or null, $6 JSON
 * array of {at, outcome, reason, fire}: at in ms → slots, runs
 */
import { leadPart } from './run-parts.ts';
import { wakePart } from './wake-part.ts';

export function recordDueStatement(schema: string, channel: string): string {
  return `
with ${leadPart(schema, '$1')}, f as materialized (
  update ${schema}.job_definitions d
  set schedule_cursor = to_timestamp($4::float8 / 1000), next_due_at = to_timestamp($5::float8 / 1000)
  where d.id = $2::int and (select token from lead) is not null
    and d.schedule_cursor = to_timestamp($3::float8 / 1000)
  returning d.id, d.queue_id, d.priority, d.concurrency, d.schedule_payload, d.rate_limit
), due as materialized (
  select to_timestamp(s.at / 1000) as at, s.outcome, s.reason, s.fire,
    row_number() over (partition by s.fire order by s.at) as place
  from json_to_recordset($6::json) as s(at float8, outcome text, reason text, fire boolean)
), busy as materialized (
  select f.concurrency = 'forbid' and (
    exists (select from ${schema}.job_runs r where r.concurrency_key = 'd:' || f.id and r.state in ('ASSIGNED', 'RUNNING'))
    or exists (select from ${schema}.job_runs r
               where r.concurrency_key = 'd:' || f.id and r.state in ('PENDING', 'ORPHANED') and r.gate = 1)) as yes,
    f.concurrency = 'forbid' as single
  from f
), s as (
  insert into ${schema}.job_slots (job_definition_id, scheduled_for, outcome, reason, run_id, leader_epoch)
  select f.id, due.at,
    case when due.fire and (busy.yes or busy.single and due.place > 1) then 'skipped-overlap' else due.outcome end,
    case when due.fire and (busy.yes or busy.single and due.place > 1) then 'a run of this job was still alive' else due.reason end,
    case when due.fire and not (busy.yes or busy.single and due.place > 1)
      then nextval('${schema}.job_runs_id_seq') end, $1::bigint
  from f, due, busy
  on conflict (job_definition_id, scheduled_for) do nothing
  returning scheduled_for, run_id
), r as (
  insert into ${schema}.job_runs
    (id, job_definition_id, queue_id, priority, scheduled_for, due_at, trigger, gate, concurrency_key, rate_key, payload)
  overriding system value
  select s.run_id, f.id, f.queue_id, f.priority, s.scheduled_for, s.scheduled_for, 1,
    (case when f.rate_limit is not null then 2 when f.concurrency <> 'allow' then 1 else 0 end)::smallint,
    case when f.concurrency <> 'allow' then 'd:' || f.id end,
    case when f.rate_limit is not null then f.id || ':' end, f.schedule_payload
  from s, f where s.run_id is not null
  returning queue_id, gate, priority, scheduled_for as at
)
select (select count(*)::int from f) as moved, (select count(*)::int from s) as slots, (select count(*)::int from r) as runs,
  ${wakePart(schema, channel, 'select queue_id, gate, priority, at from r')} as woke`;
}
