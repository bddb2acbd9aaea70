/**
 * Why a grant is no longer in force: broken by somebody, or taken by another holder, or just expired.
 *
 * $1 key, $2 grant id, $3 token → 1 row
 */
export function explainLossStatement(schema: string): string {
  return `
select b."by", b.reason, l.owner, l.holders,
       date_part('epoch', l.expires_at - statement_timestamp()) * 1000 as left_ms
from (values ($1::text)) asked (key)
left join ${schema}.lease_breaks b on b.key = asked.key and b.owner = $2 and b.token = $3::bigint
left join ${schema}.leases l
  on l.key = asked.key and l.owner is not null and l.owner <> $2 and l.expires_at > statement_timestamp()`;
}
