/**
 * A rollout in its first phase, in which it has always been; nothing if it exists.
 *
 * $1 name, $2 phase, $3 settings
 */
export function createRolloutStatement(schema: string): string {
  return `
insert into ${schema}.rollouts (name, phase, settings, version, phase_since)
values ($1, $2, $3::jsonb, 1, to_timestamp(0))
on conflict do nothing`;
}
