/**
 * Takes the lease or stands in line: one statement, one trip, no lost wake-up. Joining the line and releasing both
 * update the same row, so a release either sees the waiter or is seen by it.
 *
 * A pool (shared holders) has owner '*' and the latest end of its holders, so here it is simply held by another.
 * Whoever asks again under the same grant id gets its grant again, one µs longer than a new grant would be: that is
 * how the reply tells a repeated answer (no block: its first number was in the lost reply) from a new block.
 *
 * $1 key, $2 grant id, $3 ttl ms → 1 row
 */
import { limits } from '../../core/limits.ts';
import { clockUs } from '../clock-us.ts';
import { blockSpan, nextBlock } from '../next-block.ts';
import { relaxCommit } from './relax-commit.ts';

export function acquireStatement(schema: string, relaxed: boolean): string {
  return `
insert into ${schema}.leases as l (key, token, owner, expires_at)
values ($1, ${clockUs} + ${blockSpan}, $2, statement_timestamp() + $3::float8 * interval '1 ms')
on conflict (key) do update set
  token      = case when l.owner = excluded.owner then l.token
                    when l.owner is null or l.expires_at <= statement_timestamp() then
                    ${nextBlock('l.token', `(excluded.token - ${blockSpan})`)}
                    else l.token end,
  owner      = case when l.owner is null or l.expires_at <= statement_timestamp() then excluded.owner else l.owner end,
  expires_at = case when l.owner = excluded.owner
                    then greatest(l.expires_at, excluded.expires_at + interval '1 us')
                    when l.owner is null or l.expires_at <= statement_timestamp() then excluded.expires_at
                    else l.expires_at end,
  queue      = case when l.queue = '{}' and (l.owner is null or l.owner = excluded.owner) then l.queue
                    when l.owner is null or l.owner = excluded.owner or l.expires_at <= statement_timestamp()
                    then array_remove(l.queue, excluded.owner)
                    when excluded.owner = any (l.queue) or cardinality(l.queue) >= ${limits.lineMax} then l.queue
                    else l.queue || excluded.owner end,
  holders    = case when l.expires_at > statement_timestamp() then l.holders end
returning l.owner = $2 as granted,
          l.token,
          l.token = ${clockUs} + ${blockSpan}
            and l.expires_at = statement_timestamp() + $3::float8 * interval '1 ms' as block,
          case when l.owner <> $2 then l.owner end as owner,
          case when l.owner <> $2 then date_part('epoch', l.expires_at - statement_timestamp()) * 1000 end as left_ms,
          l.owner <> $2 and $2 = any (l.queue) as in_line,
          l.holders${relaxCommit(relaxed)}`;
}
