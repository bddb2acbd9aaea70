/**
 * Leader: how long until the worker that was heard of first would count as silent. Null: there is none.
 *
 * $1 silent_after_seconds
 */
export function nextSilenceStatement(schema: string): string {
  return `
select extract(epoch from min(seen_at) + make_interval(secs => $1::float8) - now())::float8 as seconds
from ${schema}.workers
where state <> 'STOPPED' and seen_at >= now() - make_interval(secs => $1::float8)`;
}
