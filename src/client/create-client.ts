/** The HTTP API for TypeScript: typed by the server's own table, nothing but `fetch` underneath. */
import { platform } from '#platform';
import { type ClientLeases, clientLeases } from './client-leases.ts';
import { type ClientOptions, createSender } from './create-sender.ts';
import { type ChangeEvent, type FollowOptions, followChanges } from './follow-changes.ts';
import { followPages } from './follow-pages.ts';
import type {
  ApiAnswer,
  ApiBody,
  ApiQuery,
  ApiRequest,
  ApiRoute,
  CallOptions,
  PagedRoute,
  QueryValue,
} from './route-call.ts';

export interface Client {
  /** Any route by its name, such as `GET /api/v1/runs/:id`. Throws `ClientError` for anything but a success. */
  call<Name extends ApiRoute>(name: Name, request: ApiRequest<Name>): Promise<ApiAnswer<Name>>;
  /** Any list, page after page; `query.limit` is the size of a page, up to 1000. */
  pages<Name extends PagedRoute>(
    name: Name,
    request: ApiRequest<Name>,
  ): AsyncGenerator<ApiAnswer<Name>, void, undefined>;
  readonly leases: ClientLeases;
  readonly runs: {
    list(query?: ApiQuery<'GET /api/v1/runs'>): Promise<ApiAnswer<'GET /api/v1/runs'>['runs']>;
    get(id: number): Promise<ApiAnswer<'GET /api/v1/runs/:id'>>;
    cancel(id: number, why?: string): Promise<ApiAnswer<'POST /api/v1/runs/:id/cancel'>>;
    retry(id: number, why?: string): Promise<ApiAnswer<'POST /api/v1/runs/:id/retry'>>;
    log(id: number, query?: ApiQuery<'GET /api/v1/runs/:id/log'>): Promise<ApiAnswer<'GET /api/v1/runs/:id/log'>>;
  };
  readonly jobs: {
    list(): Promise<ApiAnswer<'GET /api/v1/jobs'>['jobs']>;
    get(name: string): Promise<ApiAnswer<'GET /api/v1/jobs/:name'>>;
    enqueue(
      name: string,
      body?: ApiBody<'POST /api/v1/jobs/:name/runs'>,
      options?: CallOptions,
    ): Promise<ApiAnswer<'POST /api/v1/jobs/:name/runs'>>;
  };
  readonly workers: {
    list(): Promise<ApiAnswer<'GET /api/v1/workers'>['workers']>;
    drain(id: number, why?: string): Promise<void>;
  };
  readonly flags: {
    get(): Promise<ApiAnswer<'GET /api/v1/flags'>>;
    change(body: ApiBody<'POST /api/v1/flags'>): Promise<ApiAnswer<'POST /api/v1/flags'>>;
  };
  /** Changes as they happen, over any number of connections. */
  changes(options?: FollowOptions): AsyncGenerator<ChangeEvent>;
}

/** What `call` reads of any request. */
interface AnyRequest extends CallOptions {
  readonly params?: Readonly<Record<string, number | string>>;
  readonly query?: Readonly<Record<string, QueryValue | undefined>>;
  readonly body?: { readonly waitMs?: number };
}

export function createClient(options: ClientOptions): Client {
  const { clock, random } = platform;
  const { timeoutMs: usualMs = 30_000 } = options;
  const sender = createSender(options, clock);

  const call: Client['call'] = async (name, request) => {
    const { params = {}, query = {}, body, idempotencyKey, signal, timeoutMs = usualMs } = request as AnyRequest;
    const [method = '', pattern = ''] = name.split(' ');
    const path = pattern.replace(/:(\w+)/g, (_, param: string) => encodeURIComponent(String(params[param])));
    const search = new URLSearchParams(
      Object.entries(query).flatMap(([key, value]) =>
        value === undefined ? [] : [[key, String(value)] as [string, string]],
      ),
    );
    const response = await sender.send({
      method,
      path: search.size === 0 ? path : `${path}?${search}`,
      ...(idempotencyKey !== undefined && { headers: { 'idempotency-key': idempotencyKey } }),
      ...(method === 'GET' ? {} : { body: body ?? {} }),
      signal,
      timeoutMs: timeoutMs + (body?.waitMs ?? 0),
    });
    return (await response.json()) as never;
  };
  const whyOf = (why: string | undefined): { readonly why?: string } => (why === undefined ? {} : { why });

  return {
    call,
    pages: (name, request) => followPages((page) => call(name, page), request),
    leases: clientLeases(
      {
        acquire: (body, given) => call('POST /api/v1/leases/acquire', { ...given, body }),
        renew: (body, given) => call('POST /api/v1/leases/renew', { ...given, body }),
        release: (body, given) => call('POST /api/v1/leases/release', { ...given, body }),
        list: async (query = {}) => (await call('GET /api/v1/leases', { query })).leases,
      },
      platform,
    ),
    runs: {
      list: async (query = {}) => (await call('GET /api/v1/runs', { query })).runs,
      get: (id) => call('GET /api/v1/runs/:id', { params: { id } }),
      cancel: (id, why) => call('POST /api/v1/runs/:id/cancel', { params: { id }, body: whyOf(why) }),
      retry: (id, why) => call('POST /api/v1/runs/:id/retry', { params: { id }, body: whyOf(why) }),
      log: (id, query = {}) => call('GET /api/v1/runs/:id/log', { params: { id }, query }),
    },
    jobs: {
      list: async () => (await call('GET /api/v1/jobs', {})).jobs,
      get: (name) => call('GET /api/v1/jobs/:name', { params: { name } }),
      enqueue: (name, body = {}, given = {}) =>
        call('POST /api/v1/jobs/:name/runs', { ...given, params: { name }, body }),
    },
    workers: {
      list: async () => (await call('GET /api/v1/workers', {})).workers,
      async drain(id, why) {
        await call('POST /api/v1/workers/:id/drain', { params: { id }, body: whyOf(why) });
      },
    },
    flags: {
      get: () => call('GET /api/v1/flags', {}),
      change: (body) => call('POST /api/v1/flags', { body }),
    },
    changes: (given = {}) => followChanges(sender, { clock, random }, given),
  };
}
