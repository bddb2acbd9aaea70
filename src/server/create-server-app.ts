/** The server as a function from Request to Response. It keeps no state but who is waiting right now. */
import { setMaxListeners } from 'node:events';
import { getPath } from 'hono/utils/url';
import { platform } from '#platform';
import type { Clock, LeaseStore, Logger, Random, SqlDatabase } from '../core/ports.ts';
import type { Jobs } from '../systems/jobs/index.ts';
import { traceRequest } from '../tracing/trace-request.ts';
import type { ApiToken } from './authenticate.ts';
import type { InternalCallers } from './authenticate-internal.ts';
import type { Readiness, Services, SystemServices } from './call.ts';
import { checkAddress } from './check-text.ts';
import { createFindRoute } from './create-find-route.ts';
import { createDoor, type Visitor } from './door/create-door.ts';
import type { RateLimits } from './door/rate-limits.ts';
import { addSecurityHeaders } from './door/security-headers.ts';
import type { FaultResult } from './fault-results.ts';
import { httpLimits } from './http-limits.ts';
import { limitBody } from './limit-body.ts';
import { createMetrics } from './metrics/create-metrics.ts';
import type { Pages } from './pages.ts';
import { type Answered, responseOf } from './plain-answer.ts';
import { ProblemError, problemAnswer, problemOf } from './problem.ts';
import { createRedaction } from './redaction.ts';
import { openapiDocument } from './reference/openapi-document.ts';
import type { OpenapiDocument } from './reference/openapi-shape.ts';
import type { Route } from './route.ts';
import { routes as allRoutes } from './routes.ts';
import { servedRoute } from './served-route.ts';

export interface ServerAppOptions {
  /** Where the leases live. The server does not close it. */
  readonly store: LeaseStore;
  /** Job runs, if they are served here. The server does not close them. */
  readonly jobs?: Jobs;
  /** Who may call. Nobody, when empty. */
  readonly tokens: readonly ApiToken[];
  /** Who may call `/internal/…`. @default nobody */
  readonly internal?: InternalCallers;
  /** @default every route */
  readonly routes?: readonly Route[];
  /** Where breaks of leases are audited, by `accessMigrations`. @default they are only logged */
  readonly auditDatabase?: SqlDatabase;
  /** @default see `rateLimits` */
  readonly limits?: RateLimits;
  /** The host (and port) of this server as browsers know it, where a proxy says another. @default the Host header */
  readonly publicHost?: string;
  /** Asked by `/readyz`, given two seconds to answer. @default always ready */
  readonly isReady?: () => Promise<Readiness>;
  /** The web application. @default none: only the API */
  readonly pages?: Pages;
  /** Named in the reference. @default '0' */
  readonly version?: string;
  /** @default leases only */
  readonly systems?: SystemServices;
  /** Further names whose values in payloads are hidden. @default those that are always hidden */
  readonly hidden?: readonly string[];
  /** The last fault runs, for the page of guarantees. @default none */
  readonly faultResults?: () => readonly FaultResult[];
  /** @default silent */
  readonly logger?: Logger;
  /** @default the platform's clock */
  readonly clock?: Clock;
  /** @default the platform's chance */
  readonly random?: Random;
}

export interface ServerApp {
  /** Answers one request; never rejects. `address` is where it came from. */
  fetch(request: Request, address?: string): Promise<Response>;
  /** As `fetch`; what is a text already stays one, for whoever writes answers to a socket. */
  answer(request: Request, address?: string): Promise<Answered>;
  /** Answers those who wait with a 503 and lets nobody wait any more. Other requests are still served. */
  stop(): void;
}

/** Who was let in where; noted on the way, for the log and the figures. */
interface Passage {
  readonly requestId: string;
  route?: string;
  visitor?: Visitor;
}

export function createServerApp(options: ServerAppOptions): ServerApp {
  const { store, tokens, clock = platform.clock, random = platform.random, logger = silent, systems = {} } = options;
  const { internal = {}, limits, publicHost, routes = allRoutes } = options;
  const stopping = new AbortController();
  // Everybody who waits or listens hears of the stop; their number has its own bounds.
  setMaxListeners(0, stopping.signal);
  const served = routes.filter(({ system }) => system === undefined || systems[system] !== undefined);
  let openapi: OpenapiDocument | undefined;
  let waits = 0;
  const metrics = createMetrics({
    clock,
    logger,
    database: options.auditDatabase,
    has: { jobs: options.jobs !== undefined, webhooks: systems.booking !== undefined },
    waits: () => waits,
  });
  const services: Services = {
    store,
    jobs: options.jobs,
    clock,
    random,
    logger,
    redaction: createRedaction(options.hidden),
    faultResults: options.faultResults ?? (() => []),
    systems,
    metrics,
    publicHost,
    auditDatabase: options.auditDatabase,
    stopping: stopping.signal,
    openapi() {
      openapi ??= openapiDocument(served, options.version ?? '0');
      return openapi;
    },
    isReady: () => withinTwoSeconds(clock, options.isReady ?? (async () => ({ ready: true }) as const)),
    countWait() {
      if (waits >= httpLimits.waitsMax) throw tooManyWaits();
      waits += 1;
      let counted = true;
      return {
        done() {
          if (counted) waits -= 1;
          counted = false;
        },
      };
    },
  };

  const door = createDoor({
    tokens,
    apiTokens: systems.apiTokens,
    sessions: systems.signIn,
    internal,
    clock,
    limits,
    customers: systems.booking?.customers,
    publicHost,
  });
  const find = createFindRoute(served.map((route) => servedRoute(route, systems.answers)));

  const serve = async (request: Request, address: string | undefined, passage: Passage): Promise<Answered> => {
    const { method, url } = request;
    const path = getPath(request);
    const found = find(method === 'HEAD' ? 'GET' : method, path);
    if (!found) return nothingAt(method, path, options.pages);
    if ('allowed' in found) return wrongMethod(found.allowed);
    const { served: route, params } = found;
    passage.route = route.path;
    // The role is checked before anything of the body is read.
    const visitor = await door.admit(request, route, address);
    passage.visitor = visitor;
    checkAddress(url);
    return route.serve({
      request: await limitBody(request),
      description: route.description,
      get query() {
        return new URL(url).searchParams;
      },
      params,
      caller: visitor.caller,
      customer: visitor.customer,
      stillMay: () => door.stillMay(request, route),
      address,
      requestId: passage.requestId,
      services,
    });
  };

  const serveOrExplain = async (request: Request, address: string | undefined, passage: Passage): Promise<Answered> => {
    try {
      return await serve(request, address, passage);
    } catch (error) {
      const problem = problemOf(error);
      // A problem is an answer we meant to give; anything else that ends in a 5xx has its reason told here only.
      if (problem.status >= 500 && !(error instanceof ProblemError)) {
        const { requestId, route } = passage;
        logger.error('request failed', { requestId, method: request.method, route, cause: error });
      }
      return problemAnswer(problem);
    }
  };

  const answer = async (request: Request, address?: string): Promise<Answered> => {
    const startMs = clock.monotonicMs();
    const { method } = request;
    const passage: Passage = { requestId: random.hex(8) };
    const { requestId } = passage;
    const answered = await traceRequest(request, requestId, async () => {
      const given = await serveOrExplain(request, address, passage);
      return { status: given.status, route: passage.route, given };
    });
    const { status } = answered.given;
    const tookMs = clock.monotonicMs() - startMs;
    const caller = passage.visitor?.caller;
    // The route, not the path: a path may hold a secret.
    const { route } = passage;
    metrics.countRequest({ method, route, status, seconds: tookMs / 1_000 });
    const fields = { requestId, method, route: route ?? 'none', status, tookMs: Math.round(tookMs) };
    logger.debug('request', { ...fields, ...(caller && { caller: caller.name, role: caller.role }) });
    const secured = addSecurityHeaders(answered.given, { 'x-request-id': requestId });
    return method === 'HEAD' ? new Response(null, secured) : secured;
  };

  return {
    answer,
    fetch: async (request, address) => responseOf(await answer(request, address)),
    stop: () => stopping.abort(),
  };
}

function nothingAt(method: string, path: string, pages: Pages | undefined): Answered {
  // The API has no pages: a wrong path there is a mistake that must be told.
  const page = method === 'GET' && !/^\/(api|internal|webhooks)\//.test(path) && pages?.find(path);
  return page || problemAnswer({ status: 404, code: 'not-found', detail: 'There is nothing at this path.' });
}

function wrongMethod(allowed: readonly string[]): Answered {
  return problemAnswer({
    status: 405,
    code: 'method-not-allowed',
    detail: `This path answers to ${allowed.join(' and ')} only.`,
    headers: { allow: allowed.join(', ') },
  });
}

function tooManyWaits(): ProblemError {
  return new ProblemError({
    status: 503,
    code: 'too-many-waits',
    detail: `${httpLimits.waitsMax} requests wait already; come again later.`,
    headers: { 'retry-after': '5' },
  });
}

async function withinTwoSeconds(clock: Clock, isReady: () => Promise<Readiness>): Promise<Readiness> {
  let stop = (): void => {};
  const late = new Promise<Readiness>((resolve) => {
    const timer = clock.after(2_000, () => resolve({ ready: false, reason: 'The database does not answer.' }));
    stop = () => timer.cancel();
  });
  try {
    return await Promise.race([
      isReady().catch(() => ({ ready: false, reason: 'The database does not answer.' }) as const),
      late,
    ]);
  } finally {
    stop();
  }
}

const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} };
