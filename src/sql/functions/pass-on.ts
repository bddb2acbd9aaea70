/** For a row just freed while a sharer is first in line: grants to the line. Called by the release statement. */
export function passOnFunction(schema: string): string {
  return `
create function ${schema}.lease_pass_on(lease_key text, accept_ms float8) returns void language plpgsql as $f$
declare
  lease ${schema}.leases;
begin
  select l.* into strict lease from ${schema}.leases l where l.key = lease_key for update;
  lease := ${schema}.lease_grant_line(lease, accept_ms);
  update ${schema}.leases l
  set token = lease.token, owner = lease.owner, expires_at = lease.expires_at, queue = lease.queue, holders = lease.holders
  where l.key = lease_key;
end $f$`;
}
