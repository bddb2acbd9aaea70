/** $1 rollout, $2 limit, $3 below this version or null → newest first */
export function listRolloutChangesStatement(schema: string): string {
  return `
select c.version, (extract(epoch from c.at) * 1000)::float8 as "atMs", c.actor, c.action, c.before, c.after
from ${schema}.rollout_changes c
where c.rollout = $1 and ($3::bigint is null or c.version < $3::bigint)
order by c.version desc
limit $2::int`;
}
