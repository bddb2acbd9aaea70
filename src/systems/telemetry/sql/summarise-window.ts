/**
 * One window's figures per phase. Of the current phase only what happened since it became the current one.
 *
 * $1 window ms, $2 rollout → a row per phase that reported anything
 */
export function summariseWindowStatement(schema: string): string {
  return `
select e.phase,
       count(distinct e.session) as sessions,
       count(distinct e.session) filter (where e.name = 'autosave.lock.readonly') as readonly_sessions,
       coalesce(sum(e.count) filter (where e.name = 'autosave.lock.acquired'), 0)::bigint as acquired,
       coalesce(sum(e.count) filter (where e.name = 'autosave.lock.acquired' and e.strategy = 'file-lock'), 0)::bigint
         as acquired_by_fallback,
       coalesce(sum(e.count) filter (where e.name = 'autosave.lock.error' and e.operation = 'renew'), 0)::bigint
         as renew_failures,
       percentile_cont(0.5) within group (order by e.duration_ms) filter (where e.name = 'autosave.lock.acquired')
         as acquire_p50_ms,
       percentile_cont(0.95) within group (order by e.duration_ms) filter (where e.name = 'autosave.lock.acquired')
         as acquire_p95_ms
from ${schema}.telemetry_events e
left join ${schema}.rollouts r on r.name = $2 and r.phase = e.phase
where e.occurred_at > statement_timestamp() - $1::float8 * interval '1 ms'
  and e.occurred_at <= statement_timestamp()
  and e.occurred_at >= coalesce(r.phase_since, '-infinity')
group by e.phase
order by e.phase`;
}
