/**
 * Takes the lease or stands in line: one statement, one trip, no lost wake-up. Joining the line and releasing both
 * update the same row, so a release either sees the waiter or is seen by it.
 *
 * A pool (shared holders) has owner '*' and the latest end of its holders, so here it is simply held by another.
 * Every operator costs its share of a µs in each call, taken or not: conditions are written for few of them.
 *
 * $1 key, $2 grant id, $3 ttl ms → 1 row
 */
import { limits } from '../../core/limits.ts';
import { blockSpan, markedLonger } from '../block-span.ts';
import { clockUs } from '../clock-us.ts';
import { refusal } from './refusal.ts';
import { relaxCommit } from './relax-commit.ts';

export function acquireStatement(schema: string, relaxed: boolean): string {
  return `
insert into ${schema}.leases as l (key, token, owner, expires_at)
values ($1, ${clockUs} + ${blockSpan}, $2, statement_timestamp() + $3::float8 * interval '1 ms')
on conflict (key) do update set
  token      = case when l.owner = $2 or l.owner is not null and l.expires_at > statement_timestamp() then l.token
                    when l.token < excluded.token - ${blockSpan} then excluded.token
                    else l.token + 1 end,
  owner      = case when l.expires_at > statement_timestamp() then coalesce(l.owner, $2) else $2 end,
  expires_at = case when l.owner = $2 then greatest(l.expires_at, excluded.expires_at + ${markedLonger})
                    when l.owner is not null and l.expires_at > statement_timestamp() then l.expires_at
                    when l.token < excluded.token - ${blockSpan} then excluded.expires_at
                    else excluded.expires_at + ${markedLonger} end,
  queue      = case when l.owner is null or l.owner = $2 or l.expires_at <= statement_timestamp()
                    then array_remove(l.queue, $2)
                    when $2 = any (l.queue) or cardinality(l.queue) >= ${limits.lineMax} then l.queue
                    else l.queue || $2 end,
  holders    = case when l.expires_at > statement_timestamp() then l.holders end
returning l.token,
          l.expires_at = statement_timestamp() + $3::float8 * interval '1 ms' as block,
          case when l.owner <> $2 then ${refusal('l', '$2')} end as refusal${relaxCommit(relaxed)}`;
}
