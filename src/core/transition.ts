/**
 * A transition table is data: the states, where a record begins, and which state may follow which. The decision is
 * pure: (table, record, request) → the next version, or a reason from a closed union.
 *
 * Reasons are looked for in this order, because each makes the next one beside the point:
 *   undeclared     the table has no such move, whatever the record says: a mistake in the caller
 *   not-found      there is no record
 *   stale-token    the caller's right is over (or was never claimed): it must not go on
 *   wrong-owner    somebody else owns the record
 *   stale-version  the record has changed: read it again and decide again
 *   wrong-state    the move is declared, but does not begin where the record stands
 */
import { LeaseError } from './errors.ts';

export interface TransitionInput<State extends string> {
  /** Every state, in the order in which the documentation shows them. Letters, digits, `_` and `-`. */
  readonly states: readonly State[];
  /** Where every record begins. */
  readonly initial: NoInfer<State>;
  /** What may follow a state. A state without moves is an end. */
  readonly moves: { readonly [From in NoInfer<State>]?: { readonly to: readonly NoInfer<State>[] } };
}

export interface TransitionTable<State extends string> {
  readonly states: readonly State[];
  readonly initial: State;
  /** The states that may follow; empty for an end. */
  readonly next: { readonly [From in State]: readonly State[] };
}

export type TransitionRefusal =
  | 'not-found'
  | 'stale-token'
  | 'stale-version'
  | 'undeclared'
  | 'wrong-owner'
  | 'wrong-state';

/** What is known of the record. A field that is absent is not compared. */
export interface TransitionRecord<State extends string> {
  readonly state: State;
  readonly version?: number;
  readonly owner?: string | null;
  /** The fencing token (epoch) that stands at the record now. */
  readonly token?: number;
}

/** What the caller expects. A field that is absent is not compared. */
export interface TransitionRequest<State extends string> {
  readonly to: State;
  /** Absent: any state from which the move is declared. */
  readonly from?: State;
  readonly version?: number;
  readonly owner?: string | null;
  readonly token?: number;
}

export type TransitionDecision<State extends string> =
  | {
      readonly ok: true;
      readonly from: State;
      readonly to: State;
      /** One more than the record's; absent where the record has none. */
      readonly version?: number;
      /** Nothing follows `to`. */
      readonly ends: boolean;
    }
  | { readonly ok: false; readonly reason: TransitionRefusal };

/**
 * Checks a table and makes it usable. Throws if a state is unknown, cannot be reached, or leads to no end: such a
 * table lets a record be stuck for ever.
 */
export function defineTransitions<const State extends string>(input: TransitionInput<State>): TransitionTable<State> {
  const { states, initial } = input;
  const known = new Set<string>();
  for (const state of states) {
    if (!/^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(state)) {
      throw invalid(`The state ${JSON.stringify(state)} must be a name of letters, digits, "_" and "-".`);
    }
    if (known.has(state)) throw invalid(`The state "${state}" is listed twice.`);
    known.add(state);
  }
  if (!known.has(initial)) throw invalid(`The initial state "${initial}" is not among the states.`);
  const moves = new Map<string, readonly State[]>(
    Object.entries<{ readonly to: readonly State[] } | undefined>(input.moves).map(([from, move]) => [
      from,
      move?.to ?? [],
    ]),
  );
  for (const [from, to] of moves) checkMoves(known, from, to);

  const entries = states.map((state): [State, readonly State[]] => [state, [...(moves.get(state) ?? [])]]);
  const table: TransitionTable<State> = {
    states: [...states],
    initial,
    next: Object.fromEntries(entries) as TransitionTable<State>['next'],
  };
  const reached = new Set<State>([initial, ...listReachable(table, initial)]);
  for (const state of states) {
    if (!reached.has(state)) throw invalid(`The state "${state}" cannot be reached from "${initial}".`);
    if (![state, ...listReachable(table, state)].some((end) => isEnd(table, end))) {
      throw invalid(`The state "${state}" has no way to an end; a record in it would never be finished.`);
    }
  }
  return table;
}

export function decideTransition<State extends string>(
  table: TransitionTable<State>,
  current: TransitionRecord<State> | undefined,
  request: TransitionRequest<State>,
): TransitionDecision<State> {
  const { to, from } = request;
  const declared =
    from === undefined ? table.states.some((state) => isDeclared(table, state, to)) : isDeclared(table, from, to);
  if (!declared) return { ok: false, reason: 'undeclared' };
  if (!current) return { ok: false, reason: 'not-found' };
  if (request.token !== undefined && request.token !== current.token) return { ok: false, reason: 'stale-token' };
  if (request.owner !== undefined && request.owner !== current.owner) return { ok: false, reason: 'wrong-owner' };
  if (request.version !== undefined && request.version !== current.version)
    return { ok: false, reason: 'stale-version' };
  if ((from !== undefined && from !== current.state) || !isDeclared(table, current.state, to)) {
    return { ok: false, reason: 'wrong-state' };
  }
  return {
    ok: true,
    from: current.state,
    to,
    ends: isEnd(table, to),
    ...(current.version !== undefined && { version: current.version + 1 }),
  };
}

/** The table has this move. Unknown names have none. */
export function isDeclared<State extends string>(table: TransitionTable<State>, from: State, to: State): boolean {
  return nextOf(table, from).includes(to);
}

/** The states that nothing follows, in the table's order. */
export function listEnds<State extends string>(table: TransitionTable<State>): readonly State[] {
  return table.states.filter((state) => isEnd(table, state));
}

/** The states that one or more moves lead to, nearest first. `from` itself only if a cycle leads back to it. */
export function listReachable<State extends string>(table: TransitionTable<State>, from: State): readonly State[] {
  const found = new Set<State>(nextOf(table, from));
  // A Set visits what is added while it is walked, so this is a breadth-first search.
  for (const state of found) for (const next of nextOf(table, state)) found.add(next);
  return [...found];
}

/** The table for the documentation, so that what is printed cannot differ from what is enforced. */
export function printTransitions<State extends string>(
  table: TransitionTable<State>,
  format: 'markdown' | 'mermaid',
): string {
  return format === 'markdown' ? printMarkdown(table) : printMermaid(table);
}

function printMarkdown<State extends string>(table: TransitionTable<State>): string {
  const rows = table.states.map((state) => {
    const name = state === table.initial ? `\`${state}\` (initial)` : `\`${state}\``;
    const to = nextOf(table, state).map((next) => `\`${next}\``);
    return `| ${name} | ${to.length > 0 ? to.join(', ') : 'end'} |`;
  });
  return ['| from | to |', '|---|---|', ...rows, ''].join('\n');
}

function printMermaid<State extends string>(table: TransitionTable<State>): string {
  // A hyphen would be read as part of an arrow; then every state gets a number for a name, so that none collide.
  const plain = table.states.every((state) => !state.includes('-'));
  const idOf = (state: State): string => (plain ? state : `s${table.states.indexOf(state)}`);
  return [
    'stateDiagram-v2',
    ...(plain ? [] : table.states.map((state) => `  state "${state}" as ${idOf(state)}`)),
    `  [*] --> ${idOf(table.initial)}`,
    ...table.states.flatMap((from) => nextOf(table, from).map((to) => `  ${idOf(from)} --> ${idOf(to)}`)),
    ...listEnds(table).map((end) => `  ${idOf(end)} --> [*]`),
    '',
  ].join('\n');
}

/** Only own names: a state from a database row may be called "constructor". */
function nextOf<State extends string>(table: TransitionTable<State>, from: State): readonly State[] {
  return Object.hasOwn(table.next, from) ? table.next[from] : [];
}

function isEnd<State extends string>(table: TransitionTable<State>, state: State): boolean {
  return nextOf(table, state).length === 0;
}

function checkMoves(known: ReadonlySet<string>, from: string, to: readonly string[]): void {
  if (!known.has(from)) throw invalid(`Moves are given for "${from}", which is not among the states.`);
  for (const [i, state] of to.entries()) {
    if (!known.has(state)) throw invalid(`"${from}" moves to "${state}", which is not among the states.`);
    if (state === from) throw invalid(`"${from}" moves to itself; a transition changes the state.`);
    if (to.indexOf(state) !== i) throw invalid(`"${from}" moves to "${state}" twice.`);
  }
}

function invalid(message: string): LeaseError {
  return new LeaseError(`The transition table is wrong: ${message}`, { code: 'invalid-argument' });
}
