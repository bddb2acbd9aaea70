/**
 * Takes a share, is refused, or stands in line. It looks first without a lock: a refusal that changes nothing (no
 * wish to wait, or already in line) costs no write. Otherwise the row is locked and looked at again.
 */
import { clockUs } from '../clock-us.ts';

export function acquireShareFunction(schema: string): string {
  return `
create function ${schema}.lease_acquire_share(
  lease_key text, grant_id text, ttl_ms float8, weight bigint, capacity bigint, stand boolean
)
returns table (token bigint, refusal json)
language plpgsql as $f$
#variable_conflict use_column
declare
  us        bigint      := ${clockUs};
  now_      timestamptz := statement_timestamp();
  ends_us   bigint      := us + (ttl_ms * 1000)::bigint;
  lease     ${schema}.leases;
  locked    boolean     := false;
  live      jsonb;                  -- holders of a pool still in force
  mine      boolean;                -- this very grant is in the row already: the reply was lost
  passes    boolean;
  standing  boolean;
  joins     boolean;
  own_token bigint;
begin
  loop
    if locked then
      select l.* into lease from ${schema}.leases l where l.key = lease_key for update;
    else
      select l.* into lease from ${schema}.leases l where l.key = lease_key;
    end if;
    if not found then
      insert into ${schema}.leases (key, token, expires_at) values (lease_key, 0, now_) on conflict do nothing;
      locked := true;
      continue;
    end if;
    live     := ${schema}.lease_pool_live(lease.holders, us);
    mine     := coalesce(lease.owner = grant_id or lease.holders ? grant_id, false);
    standing := exists (select from unnest(lease.queue) q (entry) where split_part(q.entry, '|', 1) = grant_id);
    -- Nobody overtakes the line while somebody holds, else a stream of readers starves a writer.
    passes   := mine
             or (lease.owner is null or lease.holders is not null or lease.expires_at <= now_)
                and ${schema}.lease_fits(live, weight, capacity)
                and (live is null or lease.queue = '{}' or split_part(lease.queue[1], '|', 1) = grant_id);
    joins    := not passes and stand and not standing and cardinality(lease.queue) < 256;
    exit when locked or not (passes or joins);
    locked := true;
  end loop;

  if mine and lease.holders is null then
    own_token        := lease.token;
    lease.expires_at := greatest(lease.expires_at, now_ + ttl_ms * interval '1 ms');
  elsif mine then
    own_token        := (lease.holders #>> array[grant_id, '0'])::bigint;
    ends_us          := greatest((lease.holders #>> array[grant_id, '3'])::bigint, ends_us);
    lease.holders    := jsonb_set(lease.holders, array[grant_id, '3'], to_jsonb(ends_us));
    lease.expires_at := ${schema}.lease_pool_end(lease.holders);
  elsif passes then
    own_token        := greatest(lease.token + 1, us);
    lease.token      := own_token;
    lease.owner      := '*';
    lease.holders    := coalesce(live, '{}')
                        || jsonb_build_object(grant_id, jsonb_build_array(own_token, weight, capacity, ends_us));
    lease.expires_at := ${schema}.lease_pool_end(lease.holders);
  elsif joins then
    lease.queue      := lease.queue || concat_ws('|', grant_id, weight, capacity);
  end if;
  if passes and standing then
    lease.queue := array(
      select q.entry from unnest(lease.queue) with ordinality q (entry, n)
      where split_part(q.entry, '|', 1) <> grant_id order by q.n
    );
  end if;
  if passes or joins then
    update ${schema}.leases l
    set token = lease.token, owner = lease.owner, expires_at = lease.expires_at, queue = lease.queue, holders = lease.holders
    where l.key = lease_key;
  end if;
  if passes then
    return query select own_token, null::json;
  else
    return query select lease.token, json_build_array(
      lease.owner, date_part('epoch', lease.expires_at - now_), standing or joins, lease.holders);
  end if;
end $f$`;
}
