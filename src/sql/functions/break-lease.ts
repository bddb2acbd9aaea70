/** Ends all grants in force, keeps the reason, tells the holders' processes, then grants to the line. */
import { clockUs } from '../clock-us.ts';
import { channelSql } from '../notices.ts';

export function breakLeaseFunction(schema: string): string {
  return `
create function ${schema}.lease_break(lease_key text, broken_by text, broken_reason text, accept_ms float8)
returns table (owners text[], token bigint) language plpgsql as $f$
#variable_conflict use_column
declare
  us    bigint := ${clockUs};
  lease ${schema}.leases;
  live  jsonb;                      -- an exclusive holder is looked at as a pool of one
begin
  select l.* into lease from ${schema}.leases l where l.key = lease_key for update;
  if not found or lease.owner is null or lease.expires_at <= statement_timestamp() then return; end if;
  live := case when lease.holders is null then jsonb_build_object(lease.owner, jsonb_build_array(lease.token))
               else ${schema}.lease_pool_live(lease.holders, us) end;
  insert into ${schema}.lease_breaks (key, owner, token, "by", reason, at)
  select lease_key, h.key, (h.value->>0)::bigint, broken_by, broken_reason, statement_timestamp()
  from jsonb_each(live) h
  on conflict (key, owner, token) do update set "by" = excluded."by", reason = excluded.reason, at = excluded.at;
  perform pg_notify(${channelSql(schema, 'h.key')}, 'broken ' || h.key || ' ' || lease_key)
  from jsonb_each(live) h order by (h.value->>0)::bigint;

  lease.token      := greatest(lease.token + 1, us);
  lease.owner      := null;
  lease.holders    := null;
  lease.expires_at := statement_timestamp();
  lease := ${schema}.lease_grant_line(lease, accept_ms);
  update ${schema}.leases l
  set token = lease.token, owner = lease.owner, expires_at = lease.expires_at, queue = lease.queue, holders = lease.holders
  where l.key = lease_key;
  return query
    select array_agg(h.key order by (h.value->>0)::bigint), lease.token from jsonb_each(live) h;
end $f$`;
}
