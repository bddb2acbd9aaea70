/**
 * A rollout in its first phase; nothing if it exists.
 *
 * $1 name, $2 phase, $3 settings
 */
export function createRolloutStatement(schema: string): string {
  return `
insert into ${schema}.rollouts (name, phase, settings, version, phase_since)
values ($1, $2, $3::jsonb, 1, statement_timestamp())
on conflict do nothing`;
}
