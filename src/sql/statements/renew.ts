/**
 * Renews all exclusive leases of one process in one statement, each with its own TTL. Locked in key order, so that it
 * cannot deadlock with acquire-all; never shortens (a late renewal must not undo a newer one); an expired grant is
 * not revived.
 *
 * $1 keys[], $2 grant ids[], $3 tokens[], $4 ttl ms[] → the numbers (from 1) of those renewed; the others are lost
 */
import { relaxCommit } from './relax-commit.ts';

export function renewStatement(schema: string, relaxed: boolean): string {
  return `
with mine as materialized (
  select l.key, m.ttl_ms, m.n
  from ${schema}.leases l
  join unnest($1::text[], $2::text[], $3::bigint[], $4::float8[]) with ordinality m (key, owner, token, ttl_ms, n)
    on l.key = m.key
  where l.owner = m.owner and l.token = m.token and l.expires_at > statement_timestamp()
  order by l.key
  for update of l
), renewed as (
  update ${schema}.leases l
  set expires_at = greatest(l.expires_at, statement_timestamp() + mine.ttl_ms * interval '1 ms')
  from mine
  where l.key = mine.key
  returning l.key${relaxCommit(relaxed)}
)
select mine.n::int as n from mine`;
}
