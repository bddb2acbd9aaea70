import type { LeaseOperation } from '../../src/testing/lease-operation.ts';

/** Short words for hand-made histories. Every operation is of one key and takes from `at` to `until`. */
const key = 'k';

interface When {
  readonly at: number;
  /** Absent: no answer came. */
  readonly until?: number;
}

const times = ({ at, until = Number.POSITIVE_INFINITY }: When): { calledAtMs: number; returnedAtMs: number } => ({
  calledAtMs: at,
  returnedAtMs: until,
});

/** Granted numbers `token` to `token + 9`, for a second unless told otherwise. */
export function granted(
  owner: string,
  token: number,
  when: When,
  { ttlMs = 1000, lastToken = token + 9 }: { ttlMs?: number; lastToken?: number } = {},
): LeaseOperation {
  return {
    kind: 'acquire',
    key,
    owner,
    ttlMs,
    line: false,
    ...times(when),
    result: { granted: true, token, lastToken },
  };
}

export function refused(
  owner: string,
  when: When,
  told: { holder?: string; token?: number; inLine?: boolean } = {},
): LeaseOperation {
  const { inLine = false, ...rest } = told;
  return {
    kind: 'acquire',
    key,
    owner,
    ttlMs: 1000,
    line: inLine,
    ...times(when),
    result: { granted: false, inLine, ...rest },
  };
}

export function unanswered(owner: string, when: When, { line = false } = {}): LeaseOperation {
  return { kind: 'acquire', key, owner, ttlMs: 1000, line, ...times(when) };
}

export function renewed(owner: string, token: number, when: When, result?: boolean): LeaseOperation {
  return { kind: 'renew', key, owner, token, ttlMs: 1000, ...times(when), ...(result !== undefined && { result }) };
}

export function released(owner: string, token: number | null, when: When, result?: boolean): LeaseOperation {
  return { kind: 'release', key, owner, token, acceptMs: 500, ...times(when), ...(result !== undefined && { result }) };
}

export function left(owner: string, when: When, result?: boolean): LeaseOperation {
  return { kind: 'leave', key, owner, ...times(when), ...(result !== undefined && { result }) };
}

export function broken(when: When, token: number | false): LeaseOperation {
  const result = token === false ? ({ broken: false } as const) : ({ broken: true, token } as const);
  return { kind: 'break', key, owner: 'operator', acceptMs: 500, ...times(when), result };
}

export function told(owner: string, token: number, heardAt: number, lastToken: number = token + 9): LeaseOperation {
  return { kind: 'notice', key, owner, token, lastToken, calledAtMs: Number.NEGATIVE_INFINITY, returnedAtMs: heardAt };
}
