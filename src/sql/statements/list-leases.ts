/**
 * Leases in force whose key begins with a prefix. The key column has collation "C", so the primary key serves both
 * the lower bound and the order.
 *
 * $1 prefix, $2 limit, $3 the first key to look at (the prefix itself, or the last key of the page before)
 */
export function listLeasesStatement(schema: string): string {
  return `
select l.key, l.token, l.owner, date_part('epoch', l.expires_at - statement_timestamp()) * 1000 as left_ms,
       cardinality(l.queue) as waiting, l.holders
from ${schema}.leases l
where l.key >= $3 and starts_with(l.key, $1) and l.owner is not null and l.expires_at > statement_timestamp()
order by l.key
limit $2::int`;
}
