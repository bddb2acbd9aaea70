/**
 * Takes the lease or is refused, without standing in line. It reads first: a busy key costs an index read, no row
 * lock, no transaction id and no flush (ON CONFLICT … WHERE false alone would lock the row and write).
 * No row at all: lost a race between the read and the write; ask again.
 *
 * $1 key, $2 grant id, $3 ttl ms → 0 or 1 row, columns as in acquire
 */

import { blockSpan, markedLonger } from '../block-span.ts';
import { clockUs } from '../clock-us.ts';
import { refusal } from './refusal.ts';
import { relaxCommit } from './relax-commit.ts';

export function tryAcquireStatement(schema: string, relaxed: boolean): string {
  return `
with busy as materialized (
  select l.token, l.owner, l.expires_at, l.queue, l.holders
  from ${schema}.leases l
  where l.key = $1 and l.owner <> $2 and l.expires_at > statement_timestamp()   -- a free row has owner null
), won as (
  insert into ${schema}.leases as l (key, token, owner, expires_at)
  select $1, ${clockUs} + ${blockSpan}, $2, statement_timestamp() + $3::float8 * interval '1 ms'
  where not exists (select from busy)
  on conflict (key) do update set
    token      = case when l.owner = $2 then l.token
                      when l.token < excluded.token - ${blockSpan} then excluded.token
                      else l.token + 1 end,
    owner      = $2,
    expires_at = case when l.owner = $2 then greatest(l.expires_at, excluded.expires_at + ${markedLonger})
                      when l.token < excluded.token - ${blockSpan} then excluded.expires_at
                      else excluded.expires_at + ${markedLonger} end,
    queue      = array_remove(l.queue, $2),
    holders    = null
  where l.owner is null or l.owner = $2 or l.expires_at <= statement_timestamp()
  returning l.token,
            l.expires_at = statement_timestamp() + $3::float8 * interval '1 ms' as block${relaxCommit(relaxed)}
)
select token, block, null::json as refusal from won
union all
select busy.token, false, ${refusal('busy', '$2')}
from busy`;
}
