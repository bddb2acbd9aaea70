/**
 * Forgets, oldest first, what ended long ago: answers, and claims that nobody came back for. A record whose token is
 * ahead of the clock stays, so that tokens keep rising without it. Rows in use by others are passed over.
 *
 * $1 retention ms, $2 limit
 */
import { clockUs } from './run-columns.ts';

export function pruneRunsStatement(schema: string): string {
  return `
with old as materialized (
  select r.scope, r.key
  from ${schema}.run_once r
  where r.created_at < statement_timestamp() - $1::float8 * interval '1 ms'
    and coalesce(r.finished_at, r.expires_at) < statement_timestamp() - $1::float8 * interval '1 ms'
    and r.token < ${clockUs}
  order by r.created_at
  limit $2::int
  for update skip locked
)
delete from ${schema}.run_once r using old
where r.scope = old.scope and r.key = old.key
returning 1`;
}
