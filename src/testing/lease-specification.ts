/**
 * The exclusive lease as a sequential object, for the checker: what one operation may answer in a given state.
 *
 * The store judges ends by a clock nobody else sees, so the end of a grant is known only as an interval. An operation
 * is judged at some moment between its call and its return, and takes effect at that moment or a little later (a
 * statement reads the time, then waits for the row). A grant judged at t ends at t + ttl, so
 *   earliest end = call + ttl, latest end = return + ttl.
 * A refusal needs call < latest end; a grant to another needs return >= earliest end; each answer also narrows the
 * interval. Numbers of hand-overs and of unanswered requests are unknown until somebody names them.
 */
import type { LeaseOperation } from './lease-operation.ts';

export interface LeaseState {
  /** Numbers up to this one are used. The holder's last number, where known; else a lower bound of it. */
  readonly token: number;
  readonly holder: GrantState | undefined;
  /** Owners in line, oldest first. */
  readonly line: readonly string[];
  /** The last take-over, and so everything after it, happened no earlier. */
  readonly sinceMs: number;
}

interface GrantState {
  readonly owner: string;
  /** The grant's last number; undefined = not known yet, at least `LeaseState.token`. */
  readonly token: number | undefined;
  readonly endMinMs: number;
  readonly endMaxMs: number;
}

export const freeLease: LeaseState = { token: 0, holder: undefined, line: [], sinceMs: Number.NEGATIVE_INFINITY };

type Operation<Kind> = LeaseOperation & { readonly kind: Kind };

/** The states that may follow, or one sentence why this cannot have happened. `slackMs` forgives rounded clocks. */
export function applyOperation(
  state: LeaseState,
  operation: LeaseOperation,
  slackMs: number,
): readonly LeaseState[] | string {
  if (operation.returnedAtMs < state.sinceMs - slackMs) {
    return `it was answered before ${state.sinceMs}, when ${state.holder?.owner ?? 'the last holder'} took the lease over at the earliest`;
  }
  switch (operation.kind) {
    case 'acquire':
      if (operation.result === undefined) return acquireUnknown(state, operation, slackMs);
      return operation.result.granted
        ? acquireGranted(state, operation, operation.result, slackMs)
        : acquireRefused(state, operation, operation.result, slackMs);
    case 'renew':
      return renew(state, operation, slackMs);
    case 'release':
      return release(state, operation);
    case 'leave':
      return leave(state, operation);
    case 'break':
      return breakLease(state, operation, slackMs);
    case 'notice':
      return hearNotice(state, operation);
  }
}

function acquireGranted(
  state: LeaseState,
  operation: Operation<'acquire'>,
  { token, lastToken }: { readonly token: number; readonly lastToken: number },
  slackMs: number,
): readonly LeaseState[] | string {
  const { owner } = operation;
  const { holder } = state;
  if (lastToken < token) return `its block of numbers ends (${lastToken}) before it begins (${token})`;
  if (holder?.owner === owner) {
    const named = nameToken(state, holder, lastToken);
    if (!named) return `the same grant id was given number ${lastToken} after ${holder.token ?? state.token}`;
    return [{ ...named, holder: extend(named.holder, operation), line: without(state.line, owner) }];
  }
  if (token <= state.token) return `number ${token} was given out although ${state.token} was used before`;
  const taken = freeFor(state, operation, slackMs);
  return typeof taken === 'string' ? taken : [grantTo(state, operation, taken, { token: lastToken, known: true })];
}

function acquireUnknown(
  state: LeaseState,
  operation: Operation<'acquire'>,
  slackMs: number,
): readonly LeaseState[] | string {
  const { owner, line } = operation;
  const { holder } = state;
  if (holder?.owner === owner)
    return [{ ...state, holder: extend(holder, operation), line: without(state.line, owner) }];
  const joined = line && holder && !state.line.includes(owner) ? [{ ...state, line: [...state.line, owner] }] : [];
  const taken = freeFor(state, operation, slackMs);
  if (typeof taken === 'string') return joined.length > 0 ? joined : taken;
  return [grantTo(state, operation, taken, { token: state.token + 1, known: false }), ...joined];
}

function acquireRefused(
  state: LeaseState,
  operation: Operation<'acquire'>,
  result: { readonly token?: number; readonly holder?: string; readonly inLine: boolean },
  slackMs: number,
): readonly LeaseState[] | string {
  const { owner, calledAtMs } = operation;
  const { holder } = state;
  if (!holder) return 'it was refused although nobody held the lease';
  if (holder.owner === owner) return 'it was refused although it held the lease itself';
  if (calledAtMs >= holder.endMaxMs + slackMs)
    return `it was refused although the lease of ${holder.owner} had ended by ${holder.endMaxMs}`;
  if (result.holder !== undefined && result.holder !== holder.owner) {
    return `it was refused in the name of ${result.holder} although ${holder.owner} held the lease`;
  }
  const named = result.token === undefined ? { ...state, holder } : nameToken(state, holder, result.token);
  if (!named)
    return `it was refused with number ${result.token} although the holder's was ${holder.token ?? state.token}`;
  const endMinMs = Math.max(named.holder.endMinMs, calledAtMs - slackMs);
  const line = result.inLine && !state.line.includes(owner) ? [...state.line, owner] : state.line;
  if (line === state.line && named.holder === holder && endMinMs === holder.endMinMs) return [state];
  return [{ ...named, holder: { ...named.holder, endMinMs }, line }];
}

function renew(state: LeaseState, operation: Operation<'renew'>, slackMs: number): readonly LeaseState[] | string {
  const { owner, token, calledAtMs, returnedAtMs, result = true } = operation;
  const { holder } = state;
  const named = holder?.owner === owner ? nameToken(state, holder, token) : undefined;
  if (result) {
    if (!holder || !named) return `it was renewed although ${describeHolder(state)}`;
    if (calledAtMs >= holder.endMaxMs + slackMs) return `it was renewed although it had ended by ${holder.endMaxMs}`;
    return [{ ...named, holder: extend(named.holder, operation) }];
  }
  if (!holder || !named || holder.token === undefined) return [state];
  if (returnedAtMs < holder.endMinMs - slackMs)
    return `its renewal was refused although it was in force until ${holder.endMinMs}`;
  return [endBy(state, holder, returnedAtMs + slackMs)];
}

function release(state: LeaseState, operation: Operation<'release'>): readonly LeaseState[] | string {
  const { owner, token, result = true } = operation;
  const { holder } = state;
  const named =
    holder?.owner === owner ? (token === null ? { ...state, holder } : nameToken(state, holder, token)) : undefined;
  if (result)
    return named ? [handOver(named, operation, named.token + 1)] : `it was released although ${describeHolder(state)}`;
  if (!holder || !named || (holder.token === undefined && token !== null)) return [state];
  return 'its release was refused although it was in the record';
}

function leave(state: LeaseState, { owner, result = true }: Operation<'leave'>): readonly LeaseState[] | string {
  const stands = state.line.includes(owner);
  if (result !== stands)
    return result ? 'it left a line it did not stand in' : 'it could not leave the line it stood in';
  return [result ? { ...state, line: without(state.line, owner) } : state];
}

function breakLease(state: LeaseState, operation: Operation<'break'>, slackMs: number): readonly LeaseState[] | string {
  const { calledAtMs, returnedAtMs, result } = operation;
  const { holder } = state;
  if (result?.broken === false) {
    if (!holder) return [state];
    if (returnedAtMs < holder.endMinMs - slackMs) return `nothing was broken although ${holder.owner} held the lease`;
    return [endBy(state, holder, returnedAtMs + slackMs)];
  }
  if (!holder || calledAtMs >= holder.endMaxMs + slackMs) return 'a lease was broken that nobody held';
  if (result && result.token <= state.token) return `breaking gave number ${result.token} after ${state.token}`;
  // With an heir the answer names the heir's last number; the break took one of its own before.
  const token = result && state.line.length === 0 ? result.token : state.token + 1;
  return [handOver({ ...state, token }, operation, token + 1)];
}

function hearNotice(state: LeaseState, operation: Operation<'notice'>): readonly LeaseState[] | string {
  const { owner, token, lastToken } = operation;
  const { holder } = state;
  if (lastToken < token) return `its block of numbers ends (${lastToken}) before it begins (${token})`;
  if (holder?.owner !== owner) return `it was told of a grant although ${describeHolder(state)}`;
  if (holder.token === undefined && token < state.token)
    return `it was told of number ${token} although ${state.token - 1} was used`;
  const named = nameToken(state, holder, lastToken);
  return named ? [named] : `it was told of number ${lastToken} although its own was ${holder.token ?? state.token}`;
}

/** Whether a newcomer may be granted: the earliest moment it was judged, or why not. */
function freeFor({ holder }: LeaseState, operation: LeaseOperation, slackMs: number): number | string {
  if (!holder) return operation.calledAtMs;
  if (operation.returnedAtMs >= holder.endMinMs - slackMs)
    return Math.max(operation.calledAtMs, holder.endMinMs - slackMs);
  return `it was granted although the lease of ${holder.owner} was in force until ${holder.endMinMs}`;
}

function grantTo(
  state: LeaseState,
  { owner, ttlMs, returnedAtMs }: Operation<'acquire'>,
  judgedAtMs: number,
  number: { readonly token: number; readonly known: boolean },
): LeaseState {
  const token = number.known ? number.token : undefined;
  const holder = { owner, token, endMinMs: judgedAtMs + ttlMs, endMaxMs: returnedAtMs + ttlMs };
  const sinceMs = state.holder ? Math.max(state.sinceMs, judgedAtMs) : state.sinceMs;
  return { token: number.token, holder, line: without(state.line, owner), sinceMs };
}

/** The first in line gets it, under a number nobody has named yet; or it is free. */
function handOver(state: LeaseState, operation: Operation<'release' | 'break'>, heirToken: number): LeaseState {
  const [heir, ...line] = state.line;
  if (heir === undefined) return { ...state, holder: undefined };
  const { calledAtMs, returnedAtMs, acceptMs } = operation;
  const holder = { owner: heir, token: undefined, endMinMs: calledAtMs + acceptMs, endMaxMs: returnedAtMs + acceptMs };
  return { ...state, token: heirToken, holder, line };
}

/** The state with the holder's last number known, or undefined: it is another. */
function nameToken(
  state: LeaseState,
  holder: GrantState,
  token: number,
): (LeaseState & { readonly holder: GrantState }) | undefined {
  if (holder.token !== undefined) return holder.token === token ? { ...state, holder } : undefined;
  return token >= state.token ? { ...state, token, holder: { ...holder, token } } : undefined;
}

function extend(holder: GrantState, operation: Operation<'acquire' | 'renew'>): GrantState {
  const { calledAtMs, returnedAtMs, ttlMs } = operation;
  return {
    ...holder,
    endMinMs: Math.max(holder.endMinMs, calledAtMs + ttlMs),
    endMaxMs: Math.max(holder.endMaxMs, returnedAtMs + ttlMs),
  };
}

function endBy(state: LeaseState, holder: GrantState, latestMs: number): LeaseState {
  return latestMs >= holder.endMaxMs ? state : { ...state, holder: { ...holder, endMaxMs: latestMs } };
}

function describeHolder({ holder, token }: LeaseState): string {
  return holder
    ? `${holder.owner} held the lease with number ${holder.token ?? `at least ${token}`}`
    : 'nobody held the lease';
}

function without(line: readonly string[], owner: string): readonly string[] {
  return line.includes(owner) ? line.filter((other) => other !== owner) : line;
}
