/**
 * The tables of telemetry, forward only.
 *
 *   telemetry_events  what clients reported; occurred_at is the database's time less the age the client gave
 *   rollouts          one row per rolled-out feature; version guards every change
 *   rollout_changes   who changed a rollout, from what to what, append-only
 *   incidents         each breach once: a rollout's version can be judged guilty only once
 */
import type { MigrationSet } from '../../core/ports.ts';
import { auditTable } from '../../sql/audit-table.ts';

export const telemetryMigrations: MigrationSet = {
  system: 'telemetry',
  migrations: [
    {
      number: 1,
      name: 'events, rollouts and incidents',
      statements: (schema) => [
        auditTable(schema),
        `
create table ${schema}.telemetry_events (
  batch       text collate "C" not null,
  number      integer          not null,
  session     text collate "C" not null,
  phase       text             not null,
  name        text             not null,
  count       integer          not null,
  strategy    text,
  operation   text,
  reason      text,
  code        text,
  duration_ms float8,
  occurred_at timestamptz      not null,
  received_at timestamptz      not null,
  primary key (batch, number)
)`,
        `create index telemetry_events_occurred_at on ${schema}.telemetry_events (occurred_at)`,
        `
create table ${schema}.rollouts (
  name        text collate "C" primary key,
  phase       text             not null,
  settings    jsonb            not null,
  version     bigint           not null,
  phase_since timestamptz      not null
)`,
        `
create table ${schema}.rollout_changes (
  rollout text collate "C" not null,
  version bigint           not null,
  at      timestamptz      not null,
  actor   text             not null,
  action  text             not null check (action in ('set', 'promote', 'rollback')),
  before  jsonb            not null,
  after   jsonb            not null,
  primary key (rollout, version)
)`,
        `
create table ${schema}.incidents (
  rollout           text collate "C" not null,
  version           bigint           not null,
  at                timestamptz      not null,
  phase             text             not null,
  to_phase          text,
  outcome           text             not null check (outcome in ('rolled-back', 'proposed', 'no-earlier-phase')),
  sessions          bigint           not null,
  readonly_sessions bigint           not null,
  threshold         float8           not null,
  window_ms         float8           not null,
  command           text,
  output            text,
  primary key (rollout, version)
)`,
      ],
    },
  ],
};
