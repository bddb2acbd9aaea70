/**
 * The one table of what people decided: who, what, to what, before, after, why. Append-only. Several systems write to
 * it, each in the statement or transaction that acts, so whichever is migrated first makes it.
 */
export function auditTable(schema: string): string {
  return `
create table if not exists ${schema}.audit (
  id bigint generated always as identity primary key, at timestamptz not null default now(),
  actor text not null, action text not null, target text not null, before json, after json, why text
)`;
}
