/**
 * Nobody waits: frees the row, and may commit without waiting for the disk (a lost release only means waiting for
 * the TTL, and any later synchronous commit carries it along).
 * An exclusive contender is first in line: the row becomes its grant for $4 ms, and only its process is told.
 * A sharer is first in line ('<grant id>|<weight>|<capacity>'): the row is freed and the function that grants to as
 * many as fit runs inside the same statement. It sees the freed row, because a volatile function sees what the
 * calling statement has already changed.
 * With an empty line `l.queue[1]` is null, so `not like` is true only for an exclusive contender.
 *
 * $1 key, $2 grant id, $3 token or null, $4 accept ms → 1 row if it was held by this grant
 */

import { blockSpan, markedLonger } from '../block-span.ts';
import { clockUs } from '../clock-us.ts';
import type { LeaseDurability } from '../lease-durability.ts';
import { channelSql } from '../notices.ts';

const relax = `set_config('synchronous_commit', 'off', true)`;

export function releaseStatement(schema: string, durability: LeaseDurability): string {
  const freed = durability === 'standard' ? relax : 'null';
  return `
update ${schema}.leases l set
  token      = case when l.queue[1] not like '%|%'
                    then case when l.token < ${clockUs} then ${clockUs} + ${blockSpan} else l.token + 1 end
                    else l.token end,
  owner      = case when l.queue[1] not like '%|%' then l.queue[1] end,
  expires_at = case when l.queue[1] not like '%|%'
                    then statement_timestamp() + $4::float8 * interval '1 ms'
                         + case when l.token < ${clockUs} then interval '0' else ${markedLonger} end
                    else statement_timestamp() end,
  queue      = case when l.queue[1] not like '%|%' then l.queue[2:] else l.queue end
where l.key = $1 and l.owner = $2 and ($3::bigint is null or l.token = $3)
returning case when l.owner is not null
               then concat(pg_notify(${channelSql(schema, 'l.owner')}, concat_ws(' ', 'granted',
                      case when l.expires_at = statement_timestamp() + $4::float8 * interval '1 ms'
                           then l.token - ${blockSpan} else l.token end,
                      l.token, $4::float8, l.owner, l.key)))
               when l.queue[1] is not null then concat(${schema}.lease_pass_on(l.key, $4::float8))
               else ${freed} end as told${durability === 'relaxed' ? `, ${relax}` : ''}`;
}
