/**
 * Nobody waits: frees the row, and may commit without waiting for the disk (a lost release only means waiting for
 * the TTL, and any later synchronous commit carries it along).
 * An exclusive contender is first in line: the row becomes its grant for $4 ms, and only its process is told.
 * A sharer is first in line ('<grant id>|<weight>|<capacity>'): the row is freed and the function that grants to as
 * many as fit runs inside the same statement. It sees the freed row, because a volatile function sees what the
 * calling statement has already changed.
 *
 * $1 key, $2 grant id, $3 token or null, $4 accept ms → 1 row if it was held by this grant
 */
import { clockUs } from '../clock-us.ts';
import { blockSpan, nextBlock } from '../next-block.ts';
import { channelSql } from '../notices.ts';

export function releaseStatement(schema: string, durability: 'strict' | 'standard' | 'relaxed'): string {
  const relax = `set_config('synchronous_commit', 'off', true)`;
  const commit = {
    strict: 'null',
    standard: `case when l.owner is null and l.queue = '{}' then ${relax} end`,
    relaxed: relax,
  }[durability];
  return `
update ${schema}.leases l set
  token      = case when l.queue = '{}' or l.queue[1] like '%|%' then l.token else
                    ${nextBlock('l.token', clockUs)} end,
  owner      = case when l.queue = '{}' or l.queue[1] like '%|%' then null else l.queue[1] end,
  expires_at = case when l.queue = '{}' or l.queue[1] like '%|%' then statement_timestamp()
                    else statement_timestamp() + $4::float8 * interval '1 ms' end,
  queue      = case when l.queue = '{}' or l.queue[1] like '%|%' then l.queue else l.queue[2:] end
where l.key = $1 and l.owner = $2 and ($3::bigint is null or l.token = $3)
returning ${commit} as committed,
          case when l.owner is not null
               then pg_notify(${channelSql(schema, 'l.owner')},
                      'granted ' || case when l.token = ${clockUs} + ${blockSpan} then ${clockUs} else l.token end
                      || ' ' || l.token || ' ' || $4::float8 || ' ' || l.owner || ' ' || l.key)
               when l.queue <> '{}'
               then ${schema}.lease_pass_on(l.key, $4::float8) end as told`;
}
