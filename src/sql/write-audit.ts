import type { SqlExecutor } from '../core/ports.ts';

/** What somebody decided. */
export interface AuditAct {
  readonly actor: string;
  /** A verb: `break`, `edit`, `revoke`. */
  readonly action: string;
  /** `kind/name`, like `lease/deploy`. */
  readonly target: string;
  /** JSON without secrets. */
  readonly before?: unknown;
  readonly after?: unknown;
  readonly why?: string | undefined;
}

/** Adds one row, in the transaction that acts: give the executor of that one. */
export async function writeAudit(on: SqlExecutor, schema: string, act: AuditAct): Promise<void> {
  const { actor, action, target, before, after, why } = act;
  await on.query({
    text: `insert into "${schema}".audit (actor, action, target, before, after, why)
values ($1::text, $2::text, $3::text, $4::json, $5::json, $6::text)`,
    values: [actor, action, target, jsonOf(before), jsonOf(after), why ?? null],
  });
}

function jsonOf(value: unknown): string | null {
  return value === undefined || value === null ? null : JSON.stringify(value);
}
