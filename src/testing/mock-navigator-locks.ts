import type { WebLockOptions, WebLocks } from '../browser/project-lock/ports.ts';

/** What happens to one request for a Web Lock, whatever others hold. */
export type MockLockOutcome =
  /** Granted at once. */
  | 'grant'
  /** Stays unanswered until the request's own signal aborts it. A look by `ifAvailable` before it is told no. */
  | 'never'
  /** Rejected with `AbortError`, as if somebody had aborted it. */
  | 'abort'
  /** Rejected with this error; a text makes a `DOMException` of that name. */
  | { readonly reject: string | Error };

export interface MockLockRequest {
  readonly name: string;
  readonly options: WebLockOptions;
  /** What was planned for it; `queue`: it went the way of the real thing. */
  readonly outcome: MockLockOutcome | 'queue';
}

export interface MockNavigatorLocks extends WebLocks {
  /** Outcomes of the next requests, in order. Without a plan a request behaves as in a browser. */
  plan(...outcomes: readonly MockLockOutcome[]): void;
  /** Like `plan`, for the requests of one name only. These go first. */
  planFor(name: string, ...outcomes: readonly MockLockOutcome[]): void;
  /** Takes a lock away from its holder, as another tab's `steal` does: the holder's request rejects. */
  stealFrom(name: string): void;
  /** Names that are held, sorted. */
  heldNames(): readonly string[];
  /** Every request so far. */
  requests(): readonly MockLockRequest[];
  query(): Promise<{ readonly held: readonly { name: string }[]; readonly pending: readonly { name: string }[] }>;
  /** How often `query` was called. */
  queries(): number;
}

interface Waiter {
  readonly name: string;
  start(): void;
}

/**
 * A stand-in for `navigator.locks`: exclusive locks in the order of asking, with `signal`, `ifAvailable` and `steal`,
 * and a queue of outcomes for the cases that a browser does not produce on demand.
 */
export function mockNavigatorLocks(): MockNavigatorLocks {
  const planned: MockLockOutcome[] = [];
  const plannedFor = new Map<string, MockLockOutcome[]>();
  const requests: MockLockRequest[] = [];
  const holders = new Map<string, { readonly lose: (error: Error) => void }>();
  const waiting: Waiter[] = [];
  let queries = 0;

  const letNextIn = (name: string): void => {
    if (holders.has(name)) return;
    const next = waiting.findIndex((waiter) => waiter.name === name);
    if (next >= 0) for (const waiter of waiting.splice(next, 1)) waiter.start();
  };

  const hold = async <T>(name: string, granted: (lock: unknown) => T | PromiseLike<T>): Promise<T> => {
    let lose: (error: Error) => void = () => {};
    const lost = new Promise<never>((_, reject) => {
      lose = reject;
    });
    const holder = { lose };
    holders.set(name, holder);
    try {
      return await Promise.race([lost, (async () => granted({ name, mode: 'exclusive' }))()]);
    } finally {
      if (holders.get(name) === holder) {
        holders.delete(name);
        letNextIn(name);
      }
    }
  };

  const stealFrom = (name: string): void => {
    const holder = holders.get(name);
    holders.delete(name);
    holder?.lose(domError('AbortError', 'The lock was stolen.'));
  };

  const request = async <T>(
    name: string,
    options: WebLockOptions,
    granted: (lock: unknown) => T | PromiseLike<T>,
  ): Promise<T> => {
    const { signal, ifAvailable = false, steal = false } = options;
    const plan = [plannedFor.get(name) ?? [], planned].find(({ length }) => length) ?? [];
    // A look does not use it up: whoever waits afterwards does.
    const outcome = (ifAvailable && plan[0] === 'never' ? plan[0] : plan.shift()) ?? 'queue';
    requests.push({ name, options, outcome });
    // The real thing answers later, never inside the call.
    await undefined;
    signal?.throwIfAborted();
    if (outcome === 'abort') throw domError('AbortError', 'The request was aborted.');
    if (typeof outcome === 'object') {
      throw typeof outcome.reject === 'string' ? domError(outcome.reject, 'Planned by the test.') : outcome.reject;
    }
    if (steal) stealFrom(name);
    else if (outcome === 'never' || (outcome === 'queue' && holders.has(name))) {
      if (ifAvailable) return granted(null);
      await turn(name, outcome, signal);
    }
    return hold(name, granted);
  };

  const turn = (name: string, outcome: MockLockOutcome | 'queue', signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      const waiter: Waiter = {
        name,
        start() {
          signal?.removeEventListener('abort', leave);
          resolve();
        },
      };
      const leave = (): void => {
        const at = waiting.indexOf(waiter);
        if (at >= 0) waiting.splice(at, 1);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', leave, { once: true });
      if (outcome === 'queue') waiting.push(waiter);
    });

  return {
    request,
    async query() {
      queries++;
      return {
        held: [...holders.keys()].map((name) => ({ name })),
        pending: waiting.map(({ name }) => ({ name })),
      };
    },
    plan(...outcomes) {
      planned.push(...outcomes);
    },
    planFor(name, ...outcomes) {
      plannedFor.set(name, [...(plannedFor.get(name) ?? []), ...outcomes]);
    },
    stealFrom(name) {
      stealFrom(name);
      letNextIn(name);
    },
    heldNames: () => [...holders.keys()].sort(),
    requests: () => [...requests],
    queries: () => queries,
  };
}

/** Browsers throw these: their `code` is a number. */
function domError(name: string, message: string): Error {
  return new DOMException(message, name);
}
