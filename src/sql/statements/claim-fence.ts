/**
 * Raises the fence of a resource, only upwards. It waits for fenced statements under way, which lock the row FOR
 * SHARE; those that come later with an older token change nothing. An equal token is the same holder again.
 *
 * $1 resource, $2 token → 1 row
 */
export function claimFenceStatement(schema: string): string {
  return `
insert into ${schema}.fences as f (resource, token)
values ($1, $2::bigint)
on conflict (resource) do update set token = greatest(f.token, excluded.token)
returning f.token = $2::bigint as claimed, f.token`;
}
