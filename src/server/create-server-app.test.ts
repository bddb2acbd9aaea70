/** Every route, every role, every refusal, over one small setup; long because the table of routes is. */
import { describe, expect, it } from 'vitest';
import { checkedApp } from '../../test/servers/checked-app.ts';
import { LeaseError } from '../core/errors.ts';
import type { LeaseStore, Logger } from '../core/ports.ts';
import { memoryStore } from '../stores/memory/index.ts';
import { apiToken, type Role, roles } from './authenticate.ts';
import type { Readiness } from './call.ts';
import { createServerApp, type ServerApp } from './create-server-app.ts';
import { routes } from './routes.ts';

const secrets: Record<Role, string> = { viewer: 'v'.repeat(64), operator: 'o'.repeat(64), admin: 'a'.repeat(64) };
const tokens = roles.map((role) => apiToken({ name: `the-${role}`, role, secret: secrets[role] }));

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a JSON body of any shape, looked into by the assertions.
  readonly json: any;
}

function setup(options: { store?: LeaseStore; isReady?: () => Promise<Readiness>; logger?: Logger } = {}): {
  app: ServerApp;
  store: LeaseStore;
  get(path: string, secret?: string): Promise<Reply>;
  post(path: string, body: unknown, init?: { secret?: string; type?: string; signal?: AbortSignal }): Promise<Reply>;
} {
  const store = options.store ?? memoryStore();
  const app = checkedApp(createServerApp({ ...options, store, tokens }));
  const ask = async (request: Request): Promise<Reply> => {
    const response = await app.fetch(request);
    const text = await response.text();
    return { status: response.status, headers: response.headers, json: text === '' ? undefined : JSON.parse(text) };
  };
  return {
    app,
    store,
    get: (path, secret = secrets.viewer) =>
      ask(new Request(`http://test${path}`, { headers: { authorization: `Bearer ${secret}` } })),
    post: (path, body, { secret = secrets.operator, type = 'application/json', signal } = {}) =>
      ask(
        new Request(`http://test/api/v1/leases/${path}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${secret}`, 'content-type': type },
          body: typeof body === 'string' ? body : JSON.stringify(body),
          ...(signal && { signal }),
        }),
      ),
  };
}

const ttlMs = 30_000;

describe('who may', () => {
  const bodies: Record<string, unknown> = {
    '/api/v1/leases/acquire': { key: 'k', ttlMs },
    '/api/v1/leases/acquire-all': { keys: ['k'], ttlMs },
    '/api/v1/leases/break': { key: 'k', reason: 'test' },
    '/api/v1/leases/claim': { resource: 'r', token: 1 },
    '/api/v1/leases/explain-loss': { key: 'k', owner: 'p.1@x', token: 1 },
    '/api/v1/leases/leave': { key: 'k', owner: 'p.1@x' },
    '/api/v1/leases/release': { key: 'k', owner: 'p.1@x', token: 1 },
    '/api/v1/leases/renew': { leases: [] },
    '/api/v1/run-acts': { action: 'cancel', filter: {}, expected: 1 },
    '/api/v1/run-acts/count': { action: 'cancel', filter: {} },
    '/api/v1/schedules/preview': { schedule: { kind: 'every', minutes: 5 } },
  };
  // Without jobs whoever may is told so; with jobs they are in job-routes.test.ts.
  const allowed = (path: string): number =>
    /^\/(healthz|metrics|readyz|openapi.json|docs|api\/v1\/(leases|schedules))/.test(path) ? 200 : 501;
  const queries: Record<string, string> = { '/api/v1/leases/notices': '?process=p' };
  const identities = [...roles, 'nobody', 'stranger'] as const;

  for (const route of routes.filter(({ system }) => system === undefined)) {
    for (const identity of identities) {
      const known = identity !== 'nobody' && identity !== 'stranger';
      const expected =
        route.role === 'anyone' || (known && roles.indexOf(identity) >= roles.indexOf(route.role as Role))
          ? allowed(route.path)
          : known
            ? 403
            : 401;
      it(`${route.method} ${route.path} answers ${identity} with ${expected}`, async () => {
        const { app } = setup();
        const headers: Record<string, string> = { 'content-type': 'application/json' };
        if (known) headers.authorization = `Bearer ${secrets[identity]}`;
        if (identity === 'stranger') headers.authorization = `Bearer ${'s'.repeat(64)}`;
        const response = await app.fetch(
          new Request(`http://test${route.path}${queries[route.path] ?? ''}`, {
            method: route.method,
            headers,
            ...(route.method !== 'GET' && { body: JSON.stringify(bodies[route.path] ?? {}) }),
          }),
        );
        expect(response.status).toBe(expected);
        if (expected === 401) expect(response.headers.get('www-authenticate')).toBe('Bearer');
        await response.body?.cancel();
      });
    }
  }

  it('lets nobody in when no token is configured', async () => {
    const app = createServerApp({ store: memoryStore(), tokens: [] });
    const headers = { authorization: `Bearer ${secrets.admin}` };
    expect((await app.fetch(new Request('http://test/api/v1/leases', { headers }))).status).toBe(401);
  });

  it('does not take a prefix of a token, another scheme, or an empty one', async () => {
    const { app } = setup();
    for (const authorization of [`Bearer ${'v'.repeat(63)}`, `Basic ${secrets.viewer}`, 'Bearer ', secrets.viewer]) {
      const response = await app.fetch(new Request('http://test/api/v1/leases', { headers: { authorization } }));
      expect(response.status).toBe(401);
    }
  });

  it('looks at the role before it reads the body', async () => {
    const { post } = setup();
    expect((await post('acquire', 'not json', { secret: secrets.viewer })).status).toBe(403);
  });
});

describe('bad requests', () => {
  const bad: readonly [string, string, unknown, RegExp][] = [
    ['an empty key', 'acquire', { key: '', ttlMs }, /must not be empty/],
    ['a key of 10 kB', 'acquire', { key: 'x'.repeat(10_240), ttlMs }, /at most 512/],
    ['a key with a control character', 'acquire', { key: 'a\u0001b', ttlMs }, /control character/],
    ['a key that no database keeps', 'acquire', { key: 'a\u0000b', ttlMs }, /U\+0000/],
    ['half a character', 'acquire', { key: 'a\ud800', ttlMs }, /surrogate/],
    ['a TTL of 0', 'acquire', { key: 'k', ttlMs: 0 }, /"ttlMs"/],
    ['a negative TTL', 'acquire', { key: 'k', ttlMs: -5 }, /"ttlMs"/],
    ['a TTL that is not a number', 'acquire', { key: 'k', ttlMs: Number.NaN }, /"ttlMs"/],
    ['a TTL of a year', 'acquire', { key: 'k', ttlMs: 31_536_000_000 }, /"ttlMs"/],
    ['a wait of an hour', 'acquire', { key: 'k', ttlMs, waitMs: 3_600_000 }, /"waitMs"/],
    ['an unknown field', 'acquire', { key: 'k', ttlMs, tll: 5 }, /"tll"/],
    ['an owner with a space', 'acquire', { key: 'k', ttlMs, owner: 'a b' }, /"owner"/],
    ['shared and counted', 'acquire', { key: 'k', ttlMs, shared: true, capacity: 3 }, /exclude each other/],
    ['a weight alone', 'acquire', { key: 'k', ttlMs, weight: 3 }, /needs "capacity"/],
    ['more weight than capacity', 'acquire', { key: 'k', ttlMs, weight: 3, capacity: 2 }, /more than the capacity/],
    ['no body but null', 'acquire', null, /expected object/],
    ['no keys', 'acquire-all', { keys: [], ttlMs }, /"keys"/],
    ['no reason', 'break', { key: 'k', reason: '  ' }, /"reason": must say why/],
    ['a token in words', 'release', { key: 'k', owner: 'p.1@x', token: 'one' }, /"token"/],
    ['501 renewals', 'renew', { leases: Array.from({ length: 501 }, () => ({})) }, /"leases/],
  ];
  for (const [name, path, body, detail] of bad) {
    it(`${name} is refused with one sentence`, async () => {
      const { post, store } = setup();
      const reply = await post(path, body);
      expect(reply.status).toBe(400);
      expect(reply.headers.get('content-type')).toBe('application/problem+json');
      expect(reply.json).toMatchObject({ status: 400, title: 'Bad Request', code: 'invalid-argument' });
      expect(reply.json.detail).toMatch(detail);
      expect(await store.list({ limit: 10 })).toEqual([]);
    });
  }

  it('text that is not JSON', async () => {
    const { post } = setup();
    expect((await post('acquire', '{')).json).toMatchObject({ status: 400, code: 'bad-json' });
  });

  it('a body that is not declared as JSON', async () => {
    const { post } = setup();
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', '']) {
      expect((await post('acquire', { key: 'k', ttlMs }, { type })).json).toMatchObject({
        status: 415,
        code: 'unsupported-media-type',
      });
    }
  });

  it('a body over the limit, declared or not', async () => {
    const { post, app } = setup();
    expect((await post('acquire', ' '.repeat(1_048_577))).json).toMatchObject({ status: 413, code: 'body-too-large' });
    const chunk = new TextEncoder().encode(' '.repeat(300_000));
    let left = 5;
    const stream = new ReadableStream({
      pull(controller) {
        if (left-- > 0) controller.enqueue(chunk);
        else controller.close();
      },
    });
    const request = new Request('http://test/api/v1/leases/acquire', {
      method: 'POST',
      headers: { authorization: `Bearer ${secrets.operator}`, 'content-type': 'application/json' },
      body: stream,
      duplex: 'half',
    });
    expect((await app.fetch(request)).status).toBe(413);
  });

  it('ranges and unknown parameters of a listing', async () => {
    const { get } = setup();
    for (const query of ['limit=-1', 'limit=0', 'limit=1e9', 'limit=x', 'limits=3', `prefix=${'x'.repeat(600)}`]) {
      expect((await get(`/api/v1/leases?${query}`)).status, query).toBe(400);
    }
  });

  it('unknown paths and methods say nothing of the inside', async () => {
    const { app, get } = setup();
    expect((await get('/api/v1/nothing')).json).toMatchObject({ status: 404, code: 'not-found' });
    for (const { path } of routes.filter(({ system }) => system === undefined)) {
      const known = routes.filter((route) => route.path === path).map(({ method }) => method as string);
      for (const other of ['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'GET', 'POST']) {
        if (known.includes(other)) continue;
        const response = await app.fetch(new Request(`http://test${path}`, { method: other }));
        expect(response.status, `${other} ${path}`).toBe(405);
        expect(response.headers.get('allow')).toBe(known.join(', '));
      }
    }
  });
});

describe('health', () => {
  it('is alive whatever the database does', async () => {
    const { get } = setup({ isReady: () => Promise.reject(new Error('down')) });
    expect((await get('/healthz')).json).toEqual({ status: 'ok' });
  });

  it('is ready, or says why not and when to come again', async () => {
    expect((await setup().get('/readyz')).json).toEqual({ status: 'ready' });
    const reply = await setup({ isReady: async () => ({ ready: false, reason: 'Tables are missing.' }) }).get(
      '/readyz',
    );
    expect(reply.json).toMatchObject({ status: 503, code: 'not-ready', detail: 'Tables are missing.' });
    expect(reply.headers.get('retry-after')).toBe('1');
  });

  it('is not ready when the check throws, with nothing of its text', async () => {
    const reply = await setup({ isReady: () => Promise.reject(new Error('password=hunter2')) }).get('/readyz');
    expect(reply.status).toBe(503);
    expect(JSON.stringify(reply.json)).not.toContain('hunter2');
  });
});

describe('leases', () => {
  it('are granted, listed, renewed and released', async () => {
    const { post, get } = setup();
    const grant = (await post('acquire', { key: 'jobs/nightly', ttlMs })).json;
    expect(grant).toMatchObject({ granted: true, key: 'jobs/nightly', expiresInMs: ttlMs });
    expect(grant.owner).toMatch(/^[0-9a-f]{16}\.1@the-operator$/);
    const { owner, lastToken: token, key } = grant;
    expect((await get('/api/v1/leases?prefix=jobs/')).json.leases).toMatchObject([{ key, owner, token, waiting: 0 }]);
    expect((await get('/api/v1/leases?prefix=other/')).json.leases).toEqual([]);
    expect((await post('renew', { key, owner, token, ttlMs })).json).toEqual({ renewed: true, expiresInMs: ttlMs });
    expect((await post('renew', { leases: [{ key, owner, token, ttlMs }] })).json).toEqual({ renewed: [true] });
    expect((await post('release', { key, owner, token })).json).toEqual({ released: true });
    expect((await post('release', { key, owner, token })).json).toEqual({ released: false });
    const lost = await post('renew', { key, owner, token, ttlMs });
    expect(lost.json).toMatchObject({ status: 409, code: 'lost', cause: { kind: 'expired' } });
  });

  it('answer a second contender with the holder and the time left', async () => {
    const { post } = setup();
    const grant = (await post('acquire', { key: 'k', ttlMs, owner: 'p.1@one' })).json;
    const refused = await post('acquire', { key: 'k', ttlMs, owner: 'q.1@two' });
    expect(refused.json).toMatchObject({
      status: 409,
      code: 'held',
      holder: 'p.1@one',
      token: grant.lastToken,
      inLine: false,
    });
    expect(refused.json.retryAfterMs).toBeGreaterThan(ttlMs - 5_000);
    expect(refused.headers.get('retry-after')).toBe('30');
  });

  it('are the same grant when the same owner asks again', async () => {
    const { post } = setup();
    const body = { key: 'k', ttlMs, owner: 'p.1@one' };
    const first = (await post('acquire', body)).json;
    expect((await post('acquire', body)).json).toMatchObject({ granted: true, lastToken: first.lastToken });
  });

  it('may be shared or counted', async () => {
    const { post } = setup();
    for (const owner of ['p.1@a', 'p.2@a'])
      expect((await post('acquire', { key: 'r', ttlMs, owner, shared: true })).status).toBe(200);
    expect((await post('acquire', { key: 'r', ttlMs, owner: 'p.3@a' })).status).toBe(409);
    expect((await post('acquire', { key: 'c', ttlMs, owner: 'p.4@a', capacity: 3, weight: 2 })).status).toBe(200);
    expect((await post('acquire', { key: 'c', ttlMs, owner: 'p.5@a', capacity: 3, weight: 2 })).status).toBe(409);
    expect((await post('acquire', { key: 'c', ttlMs, owner: 'p.6@a', capacity: 3 })).status).toBe(200);
  });

  it('are taken several at once or not at all', async () => {
    const { post, store } = setup();
    await post('acquire', { key: 'b', ttlMs, owner: 'p.1@one' });
    const refused = await post('acquire-all', { keys: ['c', 'b', 'a'], ttlMs });
    expect(refused.json).toMatchObject({ status: 409, code: 'held', key: 'b', holder: 'p.1@one' });
    expect((await store.list({ limit: 10 })).map((lease) => lease.key)).toEqual(['b']);
    const granted = await post('acquire-all', { keys: ['c', 'a', 'c'], ttlMs });
    expect(granted.json.tokens.map((one: { key: string }) => one.key)).toEqual(['a', 'c']);
  });

  it('are broken with a reason, in the name of the token unless another is given', async () => {
    const { post } = setup();
    const { owner, lastToken: token } = (await post('acquire', { key: 'k', ttlMs })).json;
    expect((await post('break', { key: 'k', reason: 'stuck', by: 'ann' })).json).toMatchObject({
      broken: true,
      holders: [owner],
    });
    expect((await post('explain-loss', { key: 'k', owner, token })).json).toEqual({
      cause: { kind: 'broken', by: 'ann', reason: 'stuck' },
    });
    expect((await post('break', { key: 'k', reason: 'stuck' })).json).toEqual({ broken: false });
    const second = (await post('acquire', { key: 'k', ttlMs })).json;
    await post('break', { key: 'k', reason: 'again' });
    const why = { key: 'k', owner: second.owner, token: second.lastToken };
    expect((await post('explain-loss', why)).json.cause).toMatchObject({ by: 'the-operator' });
  });

  it('raise fences only upwards', async () => {
    const { post } = setup();
    expect((await post('claim', { resource: 'doc', token: 7 })).json).toEqual({ claimed: true, token: 7 });
    expect((await post('claim', { resource: 'doc', token: 6 })).json).toEqual({ claimed: false, token: 7 });
  });
});

describe('waiting', () => {
  /** The memory store, with a promise that resolves when so many stand in line. */
  function observedStore(): { store: LeaseStore; lineOf(count: number): Promise<void> } {
    const inner = memoryStore();
    const waiting: { count: number; resolve: () => void }[] = [];
    let length = 0;
    const store: LeaseStore = {
      ...inner,
      async acquire(request) {
        const reply = await inner.acquire(request);
        length = (await inner.list({ limit: 1 }))[0]?.waiting ?? 0;
        for (const one of waiting) if (one.count === length) one.resolve();
        return reply;
      },
    };
    return {
      store,
      lineOf: (count) =>
        new Promise((resolve) => {
          if (length === count) resolve();
          else waiting.push({ count, resolve });
        }),
    };
  }

  it('is granted on release, in order, for its full TTL', async () => {
    const { store, lineOf } = observedStore();
    const { post, get } = setup({ store });
    const held = (await post('acquire', { key: 'k', ttlMs, owner: 'p.1@one' })).json;
    const second = post('acquire', { key: 'k', ttlMs, waitMs: 20_000, owner: 'q.1@two' });
    await lineOf(1);
    const third = post('acquire', { key: 'k', ttlMs, waitMs: 20_000, owner: 'r.1@three' });
    await lineOf(2);
    await post('release', { key: 'k', owner: held.owner, token: held.lastToken });
    const granted = (await second).json;
    expect(granted).toMatchObject({ granted: true, owner: 'q.1@two', expiresInMs: ttlMs });
    expect(granted.token).toBeGreaterThan(held.lastToken);
    expect((await get('/api/v1/leases')).json.leases[0].remainingMs).toBeGreaterThan(ttlMs - 5_000);
    await post('release', { key: 'k', owner: 'q.1@two', token: granted.lastToken });
    expect((await third).json).toMatchObject({ granted: true, owner: 'r.1@three' });
  });

  it('ends with 409 when time is up, and leaves the line', async () => {
    const { post, store } = setup();
    await post('acquire', { key: 'k', ttlMs, owner: 'p.1@one' });
    const late = await post('acquire', { key: 'k', ttlMs, waitMs: 30 });
    expect(late.json).toMatchObject({ status: 409, code: 'wait-timeout', holder: 'p.1@one', inLine: false });
    expect((await store.list({ limit: 1 }))[0]?.waiting).toBe(0);
  });

  it('takes over a lease that ends by itself', async () => {
    const { post } = setup();
    await post('acquire', { key: 'k', ttlMs: 60, owner: 'p.1@one' });
    expect((await post('acquire', { key: 'k', ttlMs, waitMs: 20_000 })).status).toBe(200);
  });

  it('leaves the line when the caller hangs up', async () => {
    const { store, lineOf } = observedStore();
    const { post } = setup({ store });
    await post('acquire', { key: 'k', ttlMs, owner: 'p.1@one' });
    const caller = new AbortController();
    const waiting = post('acquire', { key: 'k', ttlMs, waitMs: 20_000, owner: 'q.1@two' }, { signal: caller.signal });
    await lineOf(1);
    caller.abort();
    await waiting;
    expect((await store.list({ limit: 1 }))[0]?.waiting).toBe(0);
  });

  it('gives back a grant that nobody reads, but only if nobody else can know its owner', async () => {
    for (const [owner, left] of [
      [undefined, 0],
      ['q.1@two', 1],
    ] as const) {
      const inner = memoryStore();
      const caller = new AbortController();
      const store: LeaseStore = {
        ...inner,
        async acquire(request) {
          const reply = await inner.acquire(request);
          caller.abort();
          return reply;
        },
      };
      const { post } = setup({ store });
      await post('acquire', { key: 'k', ttlMs, waitMs: 20_000, ...(owner && { owner }) }, { signal: caller.signal });
      expect(await inner.list({ limit: 5 })).toHaveLength(left);
    }
  });

  it('is told to come again when the server stops, and keeps its place', async () => {
    const { store, lineOf } = observedStore();
    const { post, app, get } = setup({ store });
    await post('acquire', { key: 'k', ttlMs, owner: 'p.1@one' });
    const waiting = post('acquire', { key: 'k', ttlMs, waitMs: 20_000, owner: 'q.1@two' });
    await lineOf(1);
    app.stop();
    expect((await waiting).json).toMatchObject({ status: 503, code: 'stopping' });
    expect((await store.list({ limit: 1 }))[0]?.waiting).toBe(1);
    expect((await get('/readyz')).status).toBe(503);
  });

  it('does not keep the place of an owner only the server knew', async () => {
    const { store, lineOf } = observedStore();
    const { post, app } = setup({ store });
    await post('acquire', { key: 'k', ttlMs, owner: 'p.1@one' });
    const waiting = post('acquire', { key: 'k', ttlMs, waitMs: 20_000 });
    await lineOf(1);
    app.stop();
    expect((await waiting).status).toBe(503);
    expect((await store.list({ limit: 1 }))[0]?.waiting).toBe(0);
  });
});

describe('the stream of notices', () => {
  it('tells a process of its grants and ends when the server stops', async () => {
    const { app, post } = setup();
    const response = await app.fetch(
      new Request('http://test/api/v1/leases/notices?process=q', {
        headers: { authorization: `Bearer ${secrets.operator}` },
      }),
    );
    expect(response.headers.get('content-type')).toBe('application/x-ndjson');
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    const next = async (): Promise<unknown> => JSON.parse((await reader?.read())?.value ?? 'null');
    expect(await next()).toEqual({ kind: 'ready' });
    const held = (await post('acquire', { key: 'k', ttlMs, owner: 'p.1@one' })).json;
    const refused = (await post('acquire', { key: 'k', ttlMs, owner: 'q.1@two', line: true })).json;
    expect(refused).toMatchObject({ code: 'held', inLine: true });
    await post('release', { key: 'k', owner: 'p.1@one', token: held.lastToken, acceptMs: 700 });
    expect(await next()).toMatchObject({ kind: 'granted', key: 'k', owner: 'q.1@two', acceptMs: 700 });
    await post('break', { key: 'k', reason: 'test' });
    expect(await next()).toEqual({ kind: 'broken', key: 'k', owner: 'q.1@two' });
    app.stop();
    expect(await reader?.read()).toEqual({ done: true, value: undefined });
  });

  it('is not offered where the store has no line', async () => {
    const inner = memoryStore();
    const store: LeaseStore = {
      ...inner,
      capabilities: { ...inner.capabilities, line: { no: 'Files have no line.' } },
    };
    const { get } = setup({ store });
    const reply = await get('/api/v1/leases/notices?process=q', secrets.operator);
    expect(reply.json).toMatchObject({ status: 501, code: 'unsupported', detail: 'Files have no line. Poll instead.' });
  });
});

describe('failures of the store', () => {
  const cases = [
    ['store-unavailable', 503],
    ['store-refused', 502],
    ['store-corrupt', 500],
    ['schema-newer', 503],
    ['closed', 503],
  ] as const;
  for (const [code, status] of cases) {
    it(`${code} is ${status}, without the text of the error`, async () => {
      const logged: unknown[] = [];
      const logger: Logger = { debug() {}, info() {}, warn() {}, error: (...entry) => void logged.push(entry) };
      const store = {
        ...memoryStore(),
        acquire: () => Promise.reject(new LeaseError('host db-7, user root', { code })),
      };
      const reply = await setup({ store, logger }).post('acquire', { key: 'k', ttlMs });
      expect(reply).toMatchObject({ status, json: { code } });
      expect(JSON.stringify(reply.json)).not.toContain('db-7');
      expect(logged).toHaveLength(1);
    });
  }

  it('any other error is a 500 that says nothing', async () => {
    for (const thrown of [new Error('secret path /etc/x'), 'a string /etc/x']) {
      const store = { ...memoryStore(), acquire: () => Promise.reject(thrown) };
      const reply = await setup({ store }).post('acquire', { key: 'k', ttlMs });
      expect(reply.json).toMatchObject({ status: 500, code: 'internal' });
      expect(JSON.stringify(reply.json)).not.toContain('/etc/x');
    }
  });
});
