/** $1 rollout, $2 limit, $3 below this version or null → newest first */
export function listIncidentsStatement(schema: string): string {
  return `
select i.rollout, i.version, (extract(epoch from i.at) * 1000)::float8 as "atMs", i.phase, i.to_phase as "toPhase",
       i.outcome, i.sessions, i.readonly_sessions as "readonlySessions", i.threshold, i.window_ms as "windowMs",
       i.command, i.output
from ${schema}.incidents i
where i.rollout = $1 and ($3::bigint is null or i.version < $3::bigint)
order by i.version desc
limit $2::int`;
}
