/**
 * Is there an order in which the operations of a history, one at a time, each between its call and its return, could
 * have happened? The search of Wing and Gong with Lowe's memory of states seen, key by key. Real histories need about
 * one step per operation; a history that fits no order is cut down to the shortest beginning that fits none.
 */
import type { LeaseOperation } from './lease-operation.ts';
import { applyOperation, freeLease, type LeaseState } from './lease-specification.ts';

export interface CheckOptions {
  /** Forgives clocks that round or tick apart. @default 1 */
  readonly slackMs?: number;
  /** Gives up after this many states per key. @default 1_000_000 */
  readonly statesMax?: number;
}

export type CheckResult =
  | { readonly ok: true; readonly operations: number; readonly states: number }
  | {
      readonly ok: false;
      readonly key: string;
      /** What about the last operation of the prefix cannot be. */
      readonly reason: string;
      /** The shortest beginning of the key's history that fits no order. Its last answer is the one too many. */
      readonly prefix: readonly LeaseOperation[];
    };

/** Checks a history of exclusive leases against their sequential specification. */
export function checkHistory(history: readonly LeaseOperation[], options: CheckOptions = {}): CheckResult {
  const { slackMs = 1, statesMax = 1_000_000 } = options;
  let states = 0;
  for (const [key, operations] of groupByKey(history)) {
    const found = search(operations, slackMs, statesMax);
    states += found.states;
    if (found.verdict === 'undecided') {
      return { ok: false, key, reason: `undecided after ${found.states} states`, prefix: operations };
    }
    if (found.verdict === 'none') return { ok: false, key, ...shortestPrefix(operations, slackMs, statesMax) };
  }
  return { ok: true, operations: history.length, states };
}

interface Found {
  readonly verdict: 'order' | 'none' | 'undecided';
  readonly states: number;
  /** Why the watched operation fitted nowhere, at the deepest point of the search. */
  readonly reason: string | undefined;
}

interface Frame {
  readonly state: LeaseState;
  /** Steps not tried yet, best last. */
  readonly steps: { readonly index: number; readonly next: LeaseState }[];
  /** The operation that led here; -1 at the root. */
  readonly index: number;
}

function search(
  history: readonly LeaseOperation[],
  slackMs: number,
  statesMax: number,
  watched?: LeaseOperation,
): Found {
  const operations = [...history].sort((a, b) => a.calledAtMs - b.calledAtMs);
  const done = new Uint8Array(operations.length);
  const seen = new Set<string>();
  let open = operations.filter(isAnswered).length;
  let deepest = -1;
  let reason: string | undefined;

  const frameAt = (state: LeaseState, index: number, depth: number): Frame => {
    const steps: { index: number; next: LeaseState }[] = [];
    for (const candidate of candidates(operations, done)) {
      const operation = operations[candidate] as LeaseOperation;
      const nexts = applyOperation(state, operation, slackMs);
      if (typeof nexts === 'string') {
        if (operation === watched && depth >= deepest) {
          deepest = depth;
          reason = nexts;
        }
        continue;
      }
      // An answer that changes nothing may as well come now: no other choice here can be better.
      if (nexts[0] === state) return { state, index, steps: [{ index: candidate, next: state }] };
      for (const next of nexts) steps.unshift({ index: candidate, next });
    }
    return { state, index, steps };
  };

  const stack = [frameAt(freeLease, -1, 0)];
  while (open > 0) {
    const frame = stack.at(-1);
    if (!frame) return { verdict: 'none', states: seen.size, reason };
    const step = frame.steps.pop();
    if (!step) {
      stack.pop();
      if (frame.index >= 0) {
        done[frame.index] = 0;
        if (isAnswered(operations[frame.index] as LeaseOperation)) open += 1;
      }
      continue;
    }
    done[step.index] = 1;
    const id = `${undone(done)}|${JSON.stringify(step.next)}`;
    if (seen.has(id)) {
      done[step.index] = 0;
      continue;
    }
    seen.add(id);
    if (seen.size > statesMax) return { verdict: 'undecided', states: seen.size, reason };
    if (isAnswered(operations[step.index] as LeaseOperation)) open -= 1;
    stack.push(frameAt(step.next, step.index, stack.length));
  }
  return { verdict: 'order', states: seen.size, reason };
}

/** Operations that may come next: called before every open one has returned. The first to return comes first. */
function candidates(operations: readonly LeaseOperation[], done: Uint8Array): readonly number[] {
  const found: number[] = [];
  let firstReturnMs = Number.POSITIVE_INFINITY;
  for (let index = done.indexOf(0); index >= 0; index = done.indexOf(0, index + 1)) {
    const operation = operations[index] as LeaseOperation;
    if (operation.calledAtMs > firstReturnMs) break;
    firstReturnMs = Math.min(firstReturnMs, operation.returnedAtMs);
    found.push(index);
  }
  const returnedAtMs = (index: number): number => operations[index]?.returnedAtMs ?? 0;
  return found.sort((a, b) => returnedAtMs(a) - returnedAtMs(b));
}

/** What is done, as a short text: up to where, and what is left out before. */
function undone(done: Uint8Array): string {
  const last = done.lastIndexOf(1);
  const left: number[] = [];
  for (let i = done.indexOf(0); i >= 0 && i < last; i = done.indexOf(0, i + 1)) left.push(i);
  return `${last}:${left.join()}`;
}

/** A beginning of a history that fits an order does so itself, so the shortest one that does not is found by halving. */
function shortestPrefix(
  history: readonly LeaseOperation[],
  slackMs: number,
  statesMax: number,
): { readonly reason: string; readonly prefix: readonly LeaseOperation[] } {
  const returns = history.filter(isAnswered).sort((a, b) => a.returnedAtMs - b.returnedAtMs);
  let low = 0;
  let high = returns.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    const { verdict } = search(beginning(history, returns[middle] as LeaseOperation), slackMs, statesMax);
    if (verdict === 'none') high = middle;
    else low = middle + 1;
  }
  const last = returns[low] as LeaseOperation;
  const prefix = beginning(history, last);
  const { reason = 'no order of these operations explains its answer' } = search(prefix, slackMs, statesMax, last);
  return { prefix, reason: `${last.kind} by ${last.owner}, answered at ${last.returnedAtMs}: ${reason}` };
}

/** What was known when `last` had just been answered: later answers are unknown, later calls are not there. */
function beginning(history: readonly LeaseOperation[], last: LeaseOperation): readonly LeaseOperation[] {
  const untilMs = last.returnedAtMs;
  return history.flatMap((operation): readonly LeaseOperation[] => {
    if (operation === last || operation.returnedAtMs <= untilMs) return [operation];
    if (operation.calledAtMs > untilMs || operation.kind === 'notice') return [];
    const { result: _result, ...asked } = operation;
    return [{ ...asked, returnedAtMs: Number.POSITIVE_INFINITY } as LeaseOperation];
  });
}

function isAnswered(operation: LeaseOperation): boolean {
  return operation.returnedAtMs !== Number.POSITIVE_INFINITY;
}

function groupByKey(history: readonly LeaseOperation[]): ReadonlyMap<string, readonly LeaseOperation[]> {
  const groups = new Map<string, LeaseOperation[]>();
  for (const operation of history) {
    const group = groups.get(operation.key);
    if (group) group.push(operation);
    else groups.set(operation.key, [operation]);
  }
  return groups;
}
