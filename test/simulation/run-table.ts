/**
 * The table of run-once in memory, with faults at any step. The real engine sends its real statements, and they are told
 * apart by their text; what is decided comes from the core's decisions.
 */
import { LeaseError } from '../../src/core/errors.ts';
import { decideCompletion, decideIdempotency, type IdempotencyRecord } from '../../src/core/idempotency.ts';
import type { Clock, SqlDatabase, SqlExecutor, SqlStatement } from '../../src/core/ports.ts';
import { claimRunStatement } from '../../src/engine/run-once/statements/claim-run.ts';
import { completeRunStatement } from '../../src/engine/run-once/statements/complete-run.ts';
import { endClaimStatement } from '../../src/engine/run-once/statements/end-claim.ts';
import { pruneRunsStatement } from '../../src/engine/run-once/statements/prune-runs.ts';
import { readRunStatement } from '../../src/engine/run-once/statements/read-run.ts';
import { renewClaimStatement } from '../../src/engine/run-once/statements/renew-claim.ts';

export type RunTableRow = IdempotencyRecord & { readonly attempt: number; readonly answer: unknown };
export type RunTableStep = 'claim' | 'complete' | 'end' | 'prune' | 'read' | 'renew' | 'commit';

const statements: readonly (readonly [RunTableStep, (schema: string) => string])[] = [
  ['claim', claimRunStatement],
  ['complete', completeRunStatement],
  ['end', endClaimStatement],
  ['prune', pruneRunsStatement],
  ['read', readRunStatement],
  ['renew', renewClaimStatement],
];
const steps = new Map(statements.map(([step, text]) => [text('"k"'), step]));
const down = () => new LeaseError('down', { code: 'store-unavailable', retryable: true });

export interface RunTable {
  readonly database: SqlDatabase;
  readonly rows: Map<string, RunTableRow>;
  readonly sent: RunTableStep[];
  readonly values: (readonly unknown[])[];
  /** What happens at a step instead: `before`: not executed; `after`: executed, but the reply is lost. */
  readonly faults: {
    readonly step: RunTableStep;
    readonly when: 'before' | 'after' | 'hang';
    readonly error?: unknown;
    times: number;
  }[];
}

export function runTable(clock: Clock): RunTable {
  const rows = new Map<string, RunTableRow>();
  const sent: RunTableStep[] = [];
  const values: (readonly unknown[])[] = [];
  const faults: RunTable['faults'] = [];
  const faultAt = (step: RunTableStep, when: string) =>
    faults.find((fault) => fault.step === step && fault.when === when && fault.times-- > 0);
  const nowUs = (): number => clock.wallMs() * 1000;

  function execute(step: RunTableStep, [scope, key, ...rest]: readonly unknown[]): readonly object[] {
    const name = `${scope}/${key}`;
    const row = rows.get(name);
    const shown = (one: RunTableRow) => ({ ...one, end_us: one.endUs, now_us: nowUs() });
    const [a, b, c, d] = rest as [never, never, never, never];
    const stands = row?.state === 'running' && row.token === a && row.owner === b;
    if (step === 'claim') {
      const decision = decideIdempotency(row, { fingerprint: a, owner: b }, nowUs());
      if (decision.kind !== 'fresh' && decision.kind !== 'take-over')
        return row ? [{ claimed: false, ...shown(row) }] : [];
      const attempt = row ? row.attempt + (row.owner === b ? 0 : 1) : 1;
      const endUs = nowUs() + c * 1000;
      const next: RunTableRow = {
        fingerprint: a,
        state: 'running',
        token: decision.token,
        owner: b,
        endUs,
        attempt,
        answer: null,
      };
      rows.set(name, next);
      return [{ claimed: true, ...shown(next) }];
    }
    if (step === 'read') return row ? [shown(row)] : [];
    if (step === 'prune') return [{}, {}];
    if (!row || !stands) return [];
    if (step === 'renew') rows.set(name, { ...row, endUs: nowUs() + c * 1000 });
    if (step === 'end') rows.set(name, { ...row, owner: '', endUs: nowUs() });
    if (step === 'complete') {
      if (decideCompletion(row, { ...row, token: a, owner: b }, nowUs()).kind !== 'complete') return [];
      rows.set(name, { ...row, state: c, answer: d });
    }
    return [{}];
  }

  const query = async (statement: SqlStatement) => {
    const step = steps.get(statement.text) as RunTableStep;
    sent.push(step);
    values.push(statement.values ?? []);
    if (faultAt(step, 'hang')) await new Promise(() => undefined);
    const before = faultAt(step, 'before');
    if (before) throw before.error ?? down();
    const found = execute(step, statement.values ?? []);
    const after = faultAt(step, 'after');
    if (after) throw after.error ?? down();
    return { rows: found, rowCount: found.length };
  };
  const database = {
    schema: 'k',
    query,
    async transaction<T>(work: (tx: SqlExecutor) => Promise<T>): Promise<T> {
      const saved = new Map(rows);
      const undo = (): void => {
        rows.clear();
        for (const [key, row] of saved) rows.set(key, row);
      };
      try {
        const value = await work({ query } as unknown as SqlExecutor);
        const before = faultAt('commit', 'before');
        if (before) throw before.error ?? down();
        if (!faultAt('commit', 'after')) return value;
      } catch (error) {
        undo();
        throw error;
      }
      throw down();
    },
  } as unknown as SqlDatabase;
  return { database, rows, sent, values, faults };
}
