/** The columns of a rollout as `Rollout` has them; `r` is the table's alias. */
export const rolloutColumns = `r.name, r.phase, r.settings, r.version,
  (extract(epoch from r.phase_since) * 1000)::float8 as "phaseSinceMs"`;
