/** Gives a share back and grants to as many in line as fit. False: this grant is not in the row. */
import { clockUs } from '../clock-us.ts';

export function releaseShareFunction(schema: string): string {
  return `
create function ${schema}.lease_release_share(
  lease_key text, grant_id text, grant_token bigint, accept_ms float8, may_relax boolean
)
returns boolean language plpgsql as $f$
declare
  lease  ${schema}.leases;
  before bigint;
begin
  select l.* into lease from ${schema}.leases l where l.key = lease_key for update;
  if not coalesce(lease.holders ? grant_id, false)
     or (lease.holders #>> array[grant_id, '0'])::bigint <> coalesce(grant_token, (lease.holders #>> array[grant_id, '0'])::bigint)
  then
    return false;
  end if;
  before        := lease.token;
  lease.holders := ${schema}.lease_pool_live(lease.holders - grant_id, ${clockUs});
  if lease.holders is null then
    lease.owner      := null;
    lease.expires_at := statement_timestamp();
  end if;
  lease := ${schema}.lease_grant_line(lease, accept_ms);
  update ${schema}.leases l
  set token = lease.token, owner = lease.owner, expires_at = lease.expires_at, queue = lease.queue, holders = lease.holders
  where l.key = lease_key;
  -- Nobody was granted anything: a lost release only means waiting for the TTL.
  if may_relax and lease.token = before then perform set_config('synchronous_commit', 'off', true); end if;
  return true;
end $f$`;
}
