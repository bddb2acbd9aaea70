/**
 * Claims a key, or says what stands on it, in one statement. It reads first: a key that is running, answered or of
 * another input costs an index read, no row lock and no flush. The write repeats the conditions on the newest row.
 * The fingerprint is compared whatever the state. A claim that has ended is taken over with a higher token; the same
 * owner asking again (its reply was lost) keeps its token.
 *
 * One row: claimed, or what the key holds. A row that looks claimable but was not claimed, or no row at all: lost a
 * race between the read and the write; ask again.
 *
 * $1 scope, $2 key, $3 fingerprint, $4 owner, $5 ttl ms → 0 or 1 row
 */
import { clockUs, runColumns } from './run-columns.ts';

export function claimRunStatement(schema: string): string {
  return `
with stored as materialized (
  select r.*
  from ${schema}.run_once r
  where r.scope = $1::text and r.key = $2::text
), won as (
  insert into ${schema}.run_once as r (scope, key, fingerprint, state, token, owner, attempt, expires_at, created_at)
  select $1::text, $2::text, $3::text, 'running', ${clockUs}, $4::text, 1,
         statement_timestamp() + $5::float8 * interval '1 ms', statement_timestamp()
  where not exists (
    select from stored s
    where s.fingerprint <> $3::text or s.state <> 'running'
       or (s.expires_at > statement_timestamp() and s.owner <> $4::text)
  )
  on conflict (scope, key) do update set
    token      = case when r.owner = excluded.owner then r.token else greatest(r.token + 1, excluded.token) end,
    attempt    = case when r.owner = excluded.owner then r.attempt else r.attempt + 1 end,
    owner      = excluded.owner,
    expires_at = greatest(r.expires_at, excluded.expires_at)
  where r.fingerprint = excluded.fingerprint and r.state = 'running'
    and (r.expires_at <= statement_timestamp() or r.owner = excluded.owner)
  returning r.*
)
select true as claimed, ${runColumns('w')} from won w
union all
select false, ${runColumns('s')} from stored s where not exists (select from won)`;
}
