import { grantId } from '../core/grant-id.ts';
import type { Clock, Random } from '../core/ports.ts';
import { ClientError } from './client-error.ts';
import type { ApiAnswer, ApiBody, ApiQuery, CallOptions } from './route-call.ts';

export type Grant = ApiAnswer<'POST /api/v1/leases/acquire'>;
export type AcquireRequestBody = ApiBody<'POST /api/v1/leases/acquire'>;

/** Expected, and so a value. */
export interface NotGranted {
  readonly granted: false;
  readonly owner: string;
  readonly holder?: string;
  readonly retryAfterMs?: number;
}

/** What renew and release need of a grant. */
export type HeldLease = Pick<Grant, 'key' | 'lastToken' | 'owner'>;

export interface ClientLeases {
  /** Once, or up to `waitMs` (a minute at most) in line. */
  acquire(body: AcquireRequestBody, options?: CallOptions): Promise<Grant | NotGranted>;
  /** As long as it takes, or `waitMs`: asks again under the same owner, so its place in line stays its own. */
  wait(body: AcquireRequestBody, options?: CallOptions): Promise<Grant | NotGranted>;
  /** False: it is lost; stop the work. */
  renew(lease: HeldLease, ttlMs: number, options?: CallOptions): Promise<boolean>;
  /** False: it was not held any more. */
  release(lease: HeldLease, options?: CallOptions): Promise<boolean>;
  /** One page; `pages('GET /api/v1/leases', …)` reads them all. */
  list(query?: ApiQuery<'GET /api/v1/leases'>): Promise<ApiAnswer<'GET /api/v1/leases'>['leases']>;
}

/** What this file asks of the client. */
interface LeaseCalls {
  acquire(body: AcquireRequestBody, options: CallOptions): Promise<Grant>;
  renew(body: ApiBody<'POST /api/v1/leases/renew'>, options: CallOptions): Promise<unknown>;
  release(body: ApiBody<'POST /api/v1/leases/release'>, options: CallOptions): Promise<{ readonly released: boolean }>;
  readonly list: ClientLeases['list'];
}

/** Longer waits are several requests: a proxy ends what is silent for a minute. */
const waitMsAtOnce = 30_000;

export function clientLeases(calls: LeaseCalls, { clock, random }: { clock: Clock; random: Random }): ClientLeases {
  const newOwner = (): string => grantId(random.hex(8), 1, 'client');
  const acquire: ClientLeases['acquire'] = async (given, options = {}) => {
    const body = { ...given, owner: given.owner ?? newOwner() };
    try {
      return await calls.acquire(body, options);
    } catch (error) {
      const isHeld = error instanceof ClientError && (error.code === 'held' || error.code === 'wait-timeout');
      if (!isHeld) throw error;
      const { holder, retryAfterMs } = error.problem as { readonly holder?: string; readonly retryAfterMs?: number };
      return {
        granted: false,
        owner: body.owner,
        ...(holder !== undefined && { holder }),
        ...(retryAfterMs !== undefined && { retryAfterMs }),
      };
    }
  };
  return {
    acquire,
    async wait(given, options = {}) {
      const body = { ...given, owner: given.owner ?? newOwner() };
      const untilMs = clock.monotonicMs() + (given.waitMs ?? Number.POSITIVE_INFINITY);
      for (;;) {
        const leftMs = untilMs - clock.monotonicMs();
        try {
          const reply = await acquire({ ...body, waitMs: Math.max(0, Math.min(waitMsAtOnce, leftMs)) }, options);
          if (reply.granted || clock.monotonicMs() >= untilMs) return reply;
        } catch (error) {
          // The server went away or stops: the place in line is the store's, and another request finds it.
          if (!(error instanceof ClientError && error.retryable) || clock.monotonicMs() >= untilMs) throw error;
          await new Promise<void>((resolve) => void clock.after(200 + random.fraction() * 300, resolve));
        }
        if (options.signal?.aborted) throw options.signal.reason;
      }
    },
    async renew({ key, owner, lastToken: token }, ttlMs, options = {}) {
      try {
        await calls.renew({ key, owner, token, ttlMs }, options);
        return true;
      } catch (error) {
        if (error instanceof ClientError && error.code === 'lost') return false;
        throw error;
      }
    },
    async release({ key, owner, lastToken: token }, options = {}) {
      return (await calls.release({ key, owner, token }, options)).released;
    },
    list: calls.list,
  };
}
