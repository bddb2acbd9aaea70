/**
 * All or nothing over several keys needs a second snapshot after the row locks, hence a function. Rows are created
 * and locked in key order, so two callers with overlapping keys cannot deadlock. The first look takes no locks: a
 * busy key costs no write.
 */
import { clockUs } from '../clock-us.ts';

export function acquireAllFunction(schema: string): string {
  return `
create function ${schema}.lease_acquire_all(keys text[], grant_id text, ttl_ms float8)
returns table (key text, token bigint, block boolean, refusal json)
language plpgsql as $f$
#variable_conflict use_column
declare
  us     bigint      := ${clockUs};
  now_   timestamptz := statement_timestamp();
  locked bigint;
begin
  for look in 1..2 loop
    return query
      select l.key, l.token, false,
             json_build_array(l.owner, date_part('epoch', l.expires_at - now_), false, l.holders)
      from ${schema}.leases l
      where l.key = any (keys) and l.owner <> grant_id and l.expires_at > now_
      order by l.key
      limit 1;
    if found then return; end if;
    exit when look = 2;
    loop
      insert into ${schema}.leases (key, token, expires_at)
      select k, 0, now_ from unnest(keys) k order by k collate "C"
      on conflict do nothing;
      perform from ${schema}.leases l where l.key = any (keys) order by l.key for update;
      get diagnostics locked = row_count;
      exit when locked = (select count(distinct k) from unnest(keys) k);   -- else one was swept away in between
    end loop;
  end loop;
  return query
    with old as materialized (
      select l.key, l.token, l.owner = grant_id as mine from ${schema}.leases l where l.key = any (keys)
    )
    update ${schema}.leases l set
      token      = case when old.mine then l.token when l.token < us then us + 63 else l.token + 1 end,
      owner      = grant_id,
      expires_at = greatest(now_ + ttl_ms * interval '1 ms', case when old.mine then l.expires_at end),
      queue      = array_remove(l.queue, grant_id),
      holders    = null
    from old
    where l.key = old.key
    returning l.key, l.token, old.mine is not true and old.token < us, null::json;
end $f$`;
}
