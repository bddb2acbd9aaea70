/**
 * Changes a rollout that is still as it was read, and writes down who did it, also in the audit. Zero rows: somebody was quicker.
 *
 * $1 name, $2 expected version, $3 phase, $4 settings, $5 actor, $6 action → the rollout as it is now
 */
import { rolloutColumns } from './rollout-columns.ts';

export function changeRolloutStatement(schema: string): string {
  return `
with old as materialized (
  select o.name, o.phase, o.settings from ${schema}.rollouts o where o.name = $1 and o.version = $2::bigint for update
), changed as (
  update ${schema}.rollouts r set
    phase       = $3,
    settings    = $4::jsonb,
    version     = r.version + 1,
    phase_since = case when r.phase = $3 then r.phase_since else statement_timestamp() end
  from old
  where r.name = old.name and r.version = $2::bigint
  returning r.*
), noted as (
  insert into ${schema}.rollout_changes (rollout, version, at, actor, action, before, after)
  select r.name, r.version, statement_timestamp(), $5::text, $6::text,
         jsonb_build_object('phase', old.phase, 'settings', old.settings),
         jsonb_build_object('phase', r.phase, 'settings', r.settings)
  from changed r, old
), audited as (
  insert into ${schema}.audit (actor, action, target, before, after)
  select $5::text, $6::text, 'rollout/' || r.name,
         json_build_object('phase', old.phase, 'settings', old.settings),
         json_build_object('phase', r.phase, 'settings', r.settings)
  from changed r, old
)
select ${rolloutColumns} from changed r`;
}
