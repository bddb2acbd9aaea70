/**
 * A guarded transition: one conditional UPDATE that names what it expects of the row, and answers with a reason when
 * it changed nothing.
 *
 *   1. An undeclared move is refused before anything is sent.
 *   2. One statement: the row by its id, every expectation (`is not distinct from`, so null can be expected), the
 *      fence row locked FOR SHARE and compared; it sets the columns, raises the version and returns the row.
 *   3. Zero rows: one read for the reason. Between the two others may write, so the reason may be newer than the
 *      refusal; the refusal itself stands. It can even happen that the row fits again: `mismatch` without mismatches.
 *
 * It takes any executor. In a transaction the row and the fence stay locked until its end; in PostgreSQL's default
 * READ COMMITTED the statement that had to wait for another writer compares with what that writer left.
 */
import { LeaseError } from '../../core/errors.ts';
import type { SqlExecutor } from '../../core/ports.ts';
import { isDeclared } from '../../core/transition.ts';
import { type Mismatch, refusalStatement } from './refusal-statement.ts';
import { type GuardedUpdateRequest, planUpdate, type UpdatePlan } from './update-request.ts';
import { updateStatement } from './update-statement.ts';

export type GuardedUpdateRefusal =
  /** The table has no such move; nothing was sent. */
  | 'undeclared'
  | 'not-found'
  /** A later holder has claimed the resource: this one must stop. */
  | 'stale-token'
  /** The fence does not yet stand at this token: claim the resource, then read, then write. */
  | 'unclaimed'
  /** The row has changed since it was read: read again, decide again. */
  | 'stale-version'
  /** The transition's state column holds another state. */
  | 'wrong-state'
  /** Another expectation does not hold; `mismatches` names it. */
  | 'mismatch';

export type GuardedUpdateOutcome<Row> =
  | { readonly updated: true; readonly row: Row }
  | {
      readonly updated: false;
      readonly reason: GuardedUpdateRefusal;
      /** Every expectation that did not hold when the reason was read. */
      readonly mismatches: readonly Mismatch[];
      /** The row when the reason was read; absent when there was none, or nothing was sent. */
      readonly current?: Row;
    };

/** Writes one row if it is as expected. Zero rows is an answer with a reason; I/O throws. */
export async function guardedUpdate<Row = Record<string, unknown>, State extends string = string>(
  executor: SqlExecutor,
  request: GuardedUpdateRequest<State>,
): Promise<GuardedUpdateOutcome<Row>> {
  const { transition } = request;
  const plan = planUpdate(request);
  if (transition && !isDeclared(transition.table, transition.from, transition.to)) {
    return { updated: false, reason: 'undeclared', mismatches: [] };
  }
  const { rows } = await executor.query<Row>(updateStatement(plan));
  const [row] = rows;
  if (rows.length > 1) {
    throw new LeaseError(
      `The id (${Object.keys(plan.id).join(', ')}) of ${plan.table.name} names ${rows.length} rows, and all were changed; name a unique key, and roll back.`,
      { code: 'invalid-argument' },
    );
  }
  return row === undefined ? explainRefusal<Row>(executor, plan) : { updated: true, row };
}

async function explainRefusal<Row>(executor: SqlExecutor, plan: UpdatePlan): Promise<GuardedUpdateOutcome<Row>> {
  const { statement, read } = refusalStatement(plan);
  const [found] = (await executor.query(statement)).rows;
  if (!found) return { updated: false, reason: 'not-found', mismatches: [] };
  const { row, mismatches, fenceToken } = read(found);
  return { updated: false, reason: nameReason(plan, mismatches, fenceToken), mismatches, current: row as Row };
}

/** A right that is over comes first, then "read again", then the rest: the order of the transition decisions. */
function nameReason(
  plan: UpdatePlan,
  mismatches: readonly Mismatch[],
  fenceToken: number | undefined,
): GuardedUpdateRefusal {
  if (plan.fence && fenceToken !== plan.fence.token) {
    return (fenceToken ?? 0) > plan.fence.token ? 'stale-token' : 'unclaimed';
  }
  const differs = (column: string | null | undefined): boolean => mismatches.some((one) => one.column === column);
  if (differs(plan.versionColumn)) return 'stale-version';
  return differs(plan.stateColumn) ? 'wrong-state' : 'mismatch';
}
