/**
 * Grants to the first in line, and to those behind it, for as long as they fit beside the holders. Takes and gives
 * back the row (the caller holds its lock and writes it); tells each heir's process. In the row, `holders` are those
 * still in force, or null.
 */
import { clockUs } from '../clock-us.ts';
import { channelSql } from '../notices.ts';

export function grantLineFunction(schema: string): string {
  return `
create function ${schema}.lease_grant_line(lease ${schema}.leases, accept_ms float8)
returns ${schema}.leases language plpgsql as $f$
declare
  us       bigint := ${clockUs};
  ends_us  bigint := us + (accept_ms * 1000)::bigint;
  head     text;
  heir     text;
  first    bigint;
  weight   bigint;
  capacity bigint;
begin
  loop
    head := lease.queue[1];
    exit when head is null;
    heir := split_part(head, '|', 1);
    if head = heir then
      exit when lease.holders is not null;
      first       := greatest(lease.token + 1, us);
      lease.token := case when lease.token < us then us + 63 else first end;
      lease.owner := heir;
      lease.expires_at := statement_timestamp() + accept_ms * interval '1 ms';
    else
      weight   := split_part(head, '|', 2)::bigint;
      capacity := split_part(head, '|', 3)::bigint;
      exit when not ${schema}.lease_fits(lease.holders, weight, capacity);
      first         := greatest(lease.token + 1, us);
      lease.token   := first;
      lease.owner   := '*';
      lease.holders := coalesce(lease.holders, '{}')
                       || jsonb_build_object(heir, jsonb_build_array(first, weight, capacity, ends_us));
    end if;
    lease.queue := lease.queue[2:];
    perform pg_notify(${channelSql(schema, 'heir')},
                      'granted ' || first || ' ' || lease.token || ' ' || accept_ms || ' ' || heir || ' ' || lease.key);
    exit when lease.holders is null;
  end loop;
  if lease.holders is not null then lease.expires_at := ${schema}.lease_pool_end(lease.holders); end if;
  return lease;
end $f$`;
}
