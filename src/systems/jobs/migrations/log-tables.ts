/**
 * What handlers said. Apart from the runs, so that bodies neither swell nor lock the hot table.
 *
 *   job_run_logs      lines in parts of at most 64 KiB, in the order (attempt, part); a part written twice is one part
 *   job_definitions   `target`: a handler without code, as of targets/
 *   job_run_log_refs  the log of this run, or its older part, is a compressed file; `places` tells where parts begin
 */
export function logTables(schema: string): readonly string[] {
  return [
    `alter table ${schema}.job_definitions add column target json`,
    `
create table ${schema}.job_run_logs (
  run_id  bigint      not null,
  part    bigint      not null,
  at      timestamptz not null default now(),
  lines   integer     not null,
  attempt smallint    not null,
  body    text        not null,
  primary key (run_id, attempt, part)
)`,
    `
create table ${schema}.job_run_log_refs (
  run_id      bigint      primary key,
  log_ref     text        not null,
  lines       bigint      not null,
  bytes       bigint      not null,
  sha256      text        not null,
  places      json        not null,
  archived_at timestamptz not null default now()
)`,
  ];
}
