/**
 * Leader: lets runs with a rate limit go, as many of each key as its bucket holds now. \`used_until\` is the moment up
 * to which the rate is spent: each start adds period / limit, and it may lie one period ahead at most. The gate is a
 * flag: version stays.
 *
 * $1 epoch
 */
import { leadPart } from './run-parts.ts';
import { wakePart } from './wake-part.ts';

export function releaseLimitedStatement(schema: string, channel: string): string {
  const limited = `r.state = 'PENDING' and r.gate = 2`;
  return `
with recursive ${leadPart(schema, '$1')}, keys as (
  (select r.rate_key as key from ${schema}.job_runs r where ${limited} and (select token from lead) is not null
   order by r.rate_key limit 1)
  union all
  select (select r.rate_key from ${schema}.job_runs r where ${limited} and r.rate_key > k.key order by r.rate_key limit 1)
  from keys k where k.key is not null
), room as materialized (
  select k.key, greatest(coalesce(u.used_until, now()), now()) as used,
    f.rate_period_seconds / f.rate_limit as step, f.rate_period_seconds as period
  from keys k
  join ${schema}.job_definitions f on f.id = split_part(k.key, ':', 1)::int
  left join ${schema}.job_rates u on u.rate_key = k.key
  where k.key is not null and f.rate_limit is not null
), pick as materialized (
  select room.key, p.id from room
  cross join lateral (
    select r.id from ${schema}.job_runs r
    where ${limited} and r.rate_key = room.key and r.scheduled_for <= now()
    order by r.priority, r.scheduled_for, r.id
    limit floor((room.period - extract(epoch from room.used - now())) / room.step + 0.000001)::int
  ) p
), u as (
  update ${schema}.job_runs r
  set gate = (case when r.concurrency_key is null then 0 else 1 end)::smallint
  where r.id = any(array(select id from pick)) and case when r.state = 'PENDING' and r.gate = 2 then true else false end
  returning r.id, r.rate_key, r.queue_id, r.gate, r.priority, r.scheduled_for as at
), used as (
  insert into ${schema}.job_rates as x (rate_key, used_until)
  select u.rate_key, min(room.used) + make_interval(secs => count(*) * min(room.step)) from u join room on room.key = u.rate_key
  group by 1
  on conflict (rate_key) do update set used_until = excluded.used_until
)
select (select count(*)::int from u) as released,
  ${wakePart(schema, channel, 'select queue_id, gate, priority, at from u')} as woke`;
}
