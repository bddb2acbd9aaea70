/**
 * After a restore: every number goes up to $1, the clock in µs, or stays where it is ahead of it. A lease in force
 * keeps its end and its owner's name, but no grant has its new number: nobody can renew it or give it back, and its
 * holder, asking why it was lost, finds a break by the restore. Who stood in line asks again by itself.
 */
export function raiseTokensStatements(schema: string): readonly string[] {
  return [
    `
insert into ${schema}.lease_breaks (key, owner, token, "by", reason, at)
select l.key, h.owner, h.token, 'kannuki restore', 'The store was restored from a backup.', statement_timestamp()
from ${schema}.leases l
cross join lateral (
  select l.owner, l.token where l.owner <> '*'
  union all
  select p.key, (p.value ->> 0)::bigint from jsonb_each(l.holders) p where l.owner = '*'
) h
where l.expires_at > statement_timestamp() and $1::bigint > 0
on conflict (key, owner, token) do nothing`,
    `
update ${schema}.leases l set
  token   = greatest(l.token + 1, $1::bigint),
  queue   = '{}',
  holders = (select jsonb_object_agg(p.key, jsonb_set(p.value, '{0}', to_jsonb(greatest(l.token + 1, $1::bigint))))
             from jsonb_each(l.holders) p)`,
    `update ${schema}.fences f set token = greatest(f.token + 1, $1::bigint)`,
  ];
}
