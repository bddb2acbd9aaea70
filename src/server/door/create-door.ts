/**
 * The one door. Every request to a route passes it before anything of its body is read, in this order:
 *
 *   1. what changes something and comes from a page must come from a page of ours      403
 *   2. who calls: a token, a session, a customer's cookie, or a task queue                                401
 *   3. whether the role suffices                                                       403
 *   4. whether this caller, or for `anyone` this address, has done enough for now      429
 *
 * Bad tokens are counted by address; beyond the limit they hear 429 instead of 401. A good token is never refused for
 * the bad ones of others behind the same address.
 */
import type { Clock } from '../../core/ports.ts';
import { createSourceLimit, type SourceLimit } from '../../core/source-limit.ts';
import { type ApiToken, authenticate, type Caller, type Sessions, type StoredTokens } from '../authenticate.ts';
import { authenticateInternal, type InternalCallers } from '../authenticate-internal.ts';
import { authenticateCustomer } from '../booking/authenticate-customer.ts';
import type { Customers } from '../booking/create-customers.ts';
import { ProblemError } from '../problem.ts';
import type { Route } from '../route.ts';
import { isForeignPage } from '../same-origin.ts';
import { type RateLimits, rateLimits } from './rate-limits.ts';
import { sourceOf } from './source-of.ts';

export interface DoorOptions {
  readonly tokens: readonly ApiToken[];
  readonly apiTokens?: StoredTokens | undefined;
  readonly sessions?: Sessions | undefined;
  readonly internal: InternalCallers;
  /** Whose cookies the booking page made; absent: there is none. */
  readonly customers?: Customers | undefined;
  readonly clock: Clock;
  /** @default `rateLimits` */
  readonly limits?: RateLimits | undefined;
  /** The address of this server as browsers know it, where a proxy says another `Host`. @default the Host header */
  readonly publicHost?: string | undefined;
}

/** Who calls; neither on routes for anyone and for task queues. */
export interface Visitor {
  readonly caller?: Caller;
  /** The visitor behind a customer's cookie. */
  readonly customer?: string;
}

export interface Door {
  /** Throws the problem that keeps the caller out. */
  admit(
    request: Request,
    route: Pick<Route, 'crossOrigin' | 'limit' | 'role'>,
    address: string | undefined,
  ): Promise<Visitor>;
  /** Asked now and then of a caller who was let in and stays; it costs nothing of what the caller may do. */
  stillMay(request: Request, route: Pick<Route, 'role'>): Promise<boolean>;
}

export function createDoor(options: DoorOptions): Door {
  const { clock, customers, internal, limits = rateLimits, publicHost } = options;
  const anonymous = createSourceLimit(limits.anonymous);
  const callers = createSourceLimit(limits.caller);
  const signIns = createSourceLimit(limits.signIn);
  const failures = createSourceLimit(limits.failure);
  const spend = (limit: SourceLimit, source: string): void => {
    const taken = limit.take(source, 1, clock.monotonicMs());
    if (!taken.ok) throw tooMany(taken.retryAfterMs);
  };

  const whoCalls = async (request: Request, { role }: Pick<Route, 'role'>): Promise<Visitor> => {
    if (role === 'anyone') return {};
    if (role === 'customer') return { customer: authenticateCustomer(request, customers, publicHost) };
    if (role !== 'internal') return { caller: await authenticate(request, role, options) };
    await authenticateInternal(request, internal);
    return {};
  };

  return {
    async admit(request, route, address) {
      if (!isSafe(request.method) && !route.crossOrigin && isForeignPage(request, publicHost)) throw foreignPage();
      if (route.role === 'anyone') {
        if (route.limit !== 'none') spend(route.limit === 'sign-in' ? signIns : anonymous, sourceOf(address));
        return {};
      }
      try {
        const visitor = await whoCalls(request, route);
        const name = visitor.caller?.name ?? visitor.customer;
        if (name !== undefined) spend(callers, name);
        return visitor;
      } catch (error) {
        if (error instanceof ProblemError && error.options.status === 401) spend(failures, sourceOf(address));
        throw error;
      }
    },
    stillMay: (request, route) =>
      whoCalls(request, route).then(
        () => true,
        () => false,
      ),
  };
}

function isSafe(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

function foreignPage(): ProblemError {
  return new ProblemError({
    status: 403,
    code: 'forbidden',
    detail: 'A page of another site may change nothing here.',
  });
}

function tooMany(retryAfterMs: number): ProblemError {
  return new ProblemError({
    status: 429,
    code: 'too-many-requests',
    detail: 'Too many requests; come again after the time in Retry-After.',
    headers: { 'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1000))) },
  });
}
