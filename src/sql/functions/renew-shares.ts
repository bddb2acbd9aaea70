/** Renews shares one by one (a process may hold several of one key), locking the rows in key order. */
import { clockUs } from '../clock-us.ts';

export function renewSharesFunction(schema: string): string {
  return `
create function ${schema}.lease_renew_shares(keys text[], grant_ids text[], tokens bigint[], ttls_ms float8[])
returns setof integer language plpgsql as $f$
declare
  us    bigint := ${clockUs};
  share record;
  ends  bigint;
  pool  jsonb;
begin
  for share in
    select m.key, m.owner, m.token, m.ttl_ms, m.n::int as n
    from unnest(keys, grant_ids, tokens, ttls_ms) with ordinality m (key, owner, token, ttl_ms, n)
    order by m.key collate "C"
  loop
    select l.holders into pool from ${schema}.leases l where l.key = share.key for update;
    continue when not found or (pool #>> array[share.owner, '0'])::bigint is distinct from share.token;
    ends := (pool #>> array[share.owner, '3'])::bigint;
    continue when ends <= us;
    pool := jsonb_set(pool, array[share.owner, '3'], to_jsonb(greatest(ends, us + (share.ttl_ms * 1000)::bigint)));
    update ${schema}.leases l set holders = pool, expires_at = ${schema}.lease_pool_end(pool) where l.key = share.key;
    return next share.n;
  end loop;
end $f$`;
}
