/**
 * Gives up waiting. Zero rows: not in line; the grant may have arrived meanwhile, so release it with token null.
 *
 * $1 key, $2 grant id
 */
export function leaveStatement(schema: string): string {
  return `
update ${schema}.leases l
set queue = array(
  select q.entry
  from unnest(l.queue) with ordinality q (entry, n)
  where split_part(q.entry, '|', 1) <> $2
  order by q.n
)
where l.key = $1 and exists (select from unnest(l.queue) q (entry) where split_part(q.entry, '|', 1) = $2)`;
}
