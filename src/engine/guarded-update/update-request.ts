import { LeaseError } from '../../core/errors.ts';
import type { TransitionTable } from '../../core/transition.ts';

/** Column → value. Values are always parameters. A JSON column takes JSON text. */
export type Columns = Readonly<Record<string, unknown>>;

export interface FenceGuard {
  readonly resource: string;
  /** The lease's token, with which the resource was claimed before it was read. */
  readonly token: number;
  /** Where the `fences` table lives. @default 'kannuki' */
  readonly schema?: string;
}

export interface TransitionGuard<State extends string> {
  readonly table: TransitionTable<State>;
  /** The column that holds the state. @default 'state' */
  readonly column?: string;
  readonly from: NoInfer<State>;
  readonly to: NoInfer<State>;
}

export interface GuardedUpdateRequest<State extends string = string> {
  /** Without a schema the connection's search path decides. */
  readonly table: { readonly schema?: string; readonly name: string };
  /** A unique key of the table, all of its columns. Not null. */
  readonly id: Columns;
  /** What the row must hold for the write to happen. Null is a value like any other. @default {} */
  readonly expect?: Columns;
  /** What is written. */
  readonly set: Columns;
  /** Raised by one with every write; null: the table has none. @default 'version' */
  readonly versionColumn?: string | null;
  /** The columns that come back. @default all */
  readonly returning?: readonly string[];
  /** Refuses the write unless this token stands at the fence. */
  readonly fence?: FenceGuard;
  /** The write moves a state: refuses moves that the table does not declare. */
  readonly transition?: TransitionGuard<State>;
}

/** A checked request. */
export interface UpdatePlan {
  readonly table: { readonly schema?: string; readonly name: string };
  readonly id: Columns;
  readonly expect: Columns;
  readonly set: Columns;
  readonly versionColumn: string | null;
  readonly stateColumn: string | undefined;
  readonly returning: readonly string[] | undefined;
  readonly fence: Required<FenceGuard> | undefined;
}

/** Checks a request before anything is sent. A transition becomes an expectation and a value like any other. */
export function planUpdate<State extends string>(request: GuardedUpdateRequest<State>): UpdatePlan {
  const { table, id, transition, fence, returning, versionColumn = 'version' } = request;
  const expect = { ...request.expect };
  const set = { ...request.set };
  const stateColumn = transition && (transition.column ?? 'state');
  if (transition && stateColumn !== undefined) {
    if (Object.hasOwn(expect, stateColumn) || Object.hasOwn(set, stateColumn)) {
      throw invalid(`The transition writes "${stateColumn}" itself; leave it out of expect and set.`);
    }
    expect[stateColumn] = transition.from;
    set[stateColumn] = transition.to;
  }
  if (Object.keys(id).length === 0) throw invalid(`An update of ${table.name} must name the row by its id.`);
  for (const [column, value] of Object.entries(id)) {
    if (value === null) throw invalid(`The id column "${column}" of ${table.name} is null, which names no row.`);
  }
  if (versionColumn !== null && Object.hasOwn(set, versionColumn)) {
    throw invalid(`"${versionColumn}" is raised by the update itself; leave it out of set.`);
  }
  if (Object.keys(set).length === 0 && versionColumn === null)
    throw invalid(`The update of ${table.name} sets nothing.`);
  if (returning?.length === 0) throw invalid('returning must name at least one column; leave it out for all.');
  for (const [column, value] of [...Object.entries(id), ...Object.entries(expect), ...Object.entries(set)]) {
    if (value === undefined) throw invalid(`The value of "${column}" is undefined; use null, or leave it out.`);
  }
  if (fence && !Number.isSafeInteger(fence.token)) {
    throw invalid(`The token of the fence "${fence.resource}" must be a whole number, got ${String(fence.token)}.`);
  }
  return {
    table,
    id,
    expect,
    set,
    versionColumn,
    stateColumn,
    returning,
    fence: fence && { schema: 'kannuki', ...fence },
  };
}

function invalid(message: string): LeaseError {
  return new LeaseError(message, { code: 'invalid-argument' });
}
