/**
 * A new leader shows its epoch to the fence before it reads anything. Only upwards; it waits for statements of the
 * leader before. No row = a later leader was there.
 *
 * $1 epoch
 */
export function raiseFenceStatement(schema: string): string {
  return `
insert into ${schema}.fences as f (resource, token) values ('jobs', $1::bigint)
on conflict (resource) do update set token = excluded.token where f.token <= excluded.token
returning token`;
}
