/**
 * A lease history as its clients saw it: who asked what, when, and what came back. Times are of one clock that all
 * clients share and that runs as fast as the store's. Only exclusive leases are told here.
 */
import type { Notice } from '../core/ports.ts';
import type { RefusedReply } from './case-assertions.ts';
import type { StoreCall } from './store-history.ts';

interface Asked {
  readonly key: string;
  readonly owner: string;
  /** When the request was sent. What a notice tells could have happened at any time before: minus infinity. */
  readonly calledAtMs: number;
  /** When the answer came. Infinity: it never did. */
  readonly returnedAtMs: number;
}

/** `result` absent: the outcome is unknown; it happened at some time after the call, or never. */
export type LeaseOperation =
  | (Asked & {
      readonly kind: 'acquire';
      readonly ttlMs: number;
      readonly result?:
        | { readonly granted: true; readonly token: number; readonly lastToken: number }
        | { readonly granted: false; readonly token?: number; readonly holder?: string; readonly inLine: boolean };
      /** It stands in line when refused. */
      readonly line: boolean;
    })
  | (Asked & { readonly kind: 'renew'; readonly token: number; readonly ttlMs: number; readonly result?: boolean })
  | (Asked & {
      readonly kind: 'release';
      readonly token: number | null;
      readonly acceptMs: number;
      readonly result?: boolean;
    })
  | (Asked & { readonly kind: 'leave'; readonly result?: boolean })
  /** `owner` is who broke it. */
  | (Asked & {
      readonly kind: 'break';
      readonly acceptMs: number;
      readonly result?: { readonly broken: true; readonly token: number } | { readonly broken: false };
    })
  /** A hand-over that its heir heard of. */
  | (Asked & { readonly kind: 'notice'; readonly token: number; readonly lastToken: number });

/**
 * Operations from recorded calls. Calls that say nothing about who holds (list, claim) are left out, and so are keys
 * with shares. What the store carried out twice is told a second time, as unknown.
 */
export function leaseOperations(calls: readonly StoreCall[]): readonly LeaseOperation[] {
  const sharedKeys = new Set(calls.flatMap(keysWithShares));
  return calls.flatMap((call) => {
    const again = call.executedAtMs.slice(1).flatMap(() => operationsOf(withoutAnswer(call)));
    return [...operationsOf(call), ...again].filter(({ key }) => !sharedKeys.has(key));
  });
}

/** A notice as an operation: the hand-over happened at some time before it was heard. */
export function noticeOperation(notice: Notice & { readonly kind: 'granted' }, heardAtMs: number): LeaseOperation {
  const { key, owner, token, lastToken } = notice;
  const times = { calledAtMs: Number.NEGATIVE_INFINITY, returnedAtMs: heardAtMs };
  return { kind: 'notice', key, owner, token, lastToken, ...times };
}

function operationsOf(call: StoreCall): readonly LeaseOperation[] {
  const calledAtMs = call.sentAtMs;
  // After an error the outcome is unknown, as if no answer had come.
  const returnedAtMs = call.reply === undefined ? Number.POSITIVE_INFINITY : (call.repliedAtMs ?? calledAtMs);
  const times = { calledAtMs, returnedAtMs };
  switch (call.op) {
    case 'acquire': {
      const { key, owner, ttlMs, line } = call.request;
      const { reply } = call;
      const result = reply && (reply.granted ? reply : knownRefusal(reply));
      return [{ kind: 'acquire', key, owner, ttlMs, line, ...times, ...(result && { result }) }];
    }
    case 'acquireAll': {
      const { keys, owner, ttlMs } = call.request;
      const { reply } = call;
      const base = { kind: 'acquire', owner, ttlMs, line: false, ...times } as const;
      if (!reply) return keys.map((key) => ({ key, ...base }));
      if (reply.granted)
        return reply.tokens.map(({ key, ...numbers }) => ({ key, ...base, result: { granted: true, ...numbers } }));
      const { key, holder } = reply;
      return [{ key, ...base, result: { granted: false, inLine: false, ...(holder !== undefined && { holder }) } }];
    }
    case 'renew':
      return call.request.map(({ key, owner, token, ttlMs }, i) => {
        const result = call.reply?.[i];
        return { kind: 'renew', key, owner, token, ttlMs, ...times, ...(result !== undefined && { result }) };
      });
    case 'release': {
      const { key, owner, token, acceptMs } = call.request;
      const { reply: result } = call;
      return [{ kind: 'release', key, owner, token, acceptMs, ...times, ...(result !== undefined && { result }) }];
    }
    case 'leave': {
      const { key, owner } = call.request;
      const { reply: result } = call;
      return [{ kind: 'leave', key, owner, ...times, ...(result !== undefined && { result }) }];
    }
    case 'breakLease': {
      const { key, by, acceptMs } = call.request;
      return [{ kind: 'break', key, owner: by, acceptMs, ...times, ...(call.reply && { result: call.reply }) }];
    }
    default:
      return [];
  }
}

/** A store that lost a race knows no number, and names one that no notice can exceed. */
function knownRefusal({ token, ...rest }: RefusedReply): RefusedReply | Omit<RefusedReply, 'token'> {
  return token === Number.MAX_SAFE_INTEGER ? rest : { token, ...rest };
}

function withoutAnswer(call: StoreCall): StoreCall {
  const { reply: _reply, repliedAtMs: _repliedAtMs, ...asked } = call;
  return asked;
}

function keysWithShares(call: StoreCall): readonly string[] {
  if (call.op === 'acquire' || call.op === 'release') return call.request.share ? [call.request.key] : [];
  if (call.op === 'renew') return call.request.filter(({ share }) => share).map(({ key }) => key);
  return [];
}
