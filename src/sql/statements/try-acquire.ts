/**
 * Takes the lease or is refused, without standing in line. It reads first: a busy key costs an index read, no row
 * lock, no transaction id and no flush (ON CONFLICT … WHERE false alone would lock the row and write).
 * No row at all: lost a race between the read and the write; ask again.
 *
 * $1 key, $2 grant id, $3 ttl ms → 0 or 1 row, columns as in acquire
 */
import { clockUs } from '../clock-us.ts';
import { blockSpan, nextBlock } from '../next-block.ts';
import { relaxCommit } from './relax-commit.ts';

export function tryAcquireStatement(schema: string, relaxed: boolean): string {
  return `
with busy as materialized (
  select l.token, l.owner, l.expires_at, l.queue, l.holders
  from ${schema}.leases l
  where l.key = $1 and l.expires_at > statement_timestamp() and l.owner <> $2   -- a free row has owner null
), won as (
  insert into ${schema}.leases as l (key, token, owner, expires_at)
  select $1, ${clockUs} + ${blockSpan}, $2, statement_timestamp() + $3::float8 * interval '1 ms'
  where not exists (select from busy)
  on conflict (key) do update set
    token      = case when l.owner = excluded.owner then l.token else
                     ${nextBlock('l.token', `(excluded.token - ${blockSpan})`)} end,
    owner      = excluded.owner,
    expires_at = case when l.owner = excluded.owner
                      then greatest(l.expires_at, excluded.expires_at + interval '1 us')
                      else excluded.expires_at end,
    queue      = array_remove(l.queue, excluded.owner),
    holders    = null
  where l.owner is null or l.expires_at <= statement_timestamp() or l.owner = excluded.owner
  returning l.token,
            l.token = ${clockUs} + ${blockSpan}
              and l.expires_at = statement_timestamp() + $3::float8 * interval '1 ms' as block${relaxCommit(relaxed)}
)
select true as granted, token, block, null::text as owner, null::float8 as left_ms, false as in_line,
       null::jsonb as holders
from won
union all
select false, token, false, owner, date_part('epoch', expires_at - statement_timestamp()) * 1000, $2 = any (queue), holders
from busy`;
}
