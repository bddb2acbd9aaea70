/**
 * Notes a breach. Nothing if this version of the rollout was found guilty before: each breach is told once.
 *
 * $1 rollout, $2 version, $3 phase, $4 to phase, $5 outcome, $6 sessions, $7 readonly sessions, $8 threshold,
 * $9 window ms, $10 command, $11 output
 */
export function insertIncidentStatement(schema: string): string {
  return `
insert into ${schema}.incidents
  (rollout, version, at, phase, to_phase, outcome, sessions, readonly_sessions, threshold, window_ms, command, output)
values ($1, $2::bigint, statement_timestamp(), $3, $4, $5, $6::bigint, $7::bigint, $8::float8, $9::float8, $10, $11)
on conflict do nothing
returning (extract(epoch from at) * 1000)::float8 as "atMs"`;
}
