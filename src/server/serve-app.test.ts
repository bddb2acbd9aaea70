import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { memoryStore } from '../stores/memory/index.ts';
import { fakeClock } from '../testing/fake-clock.ts';
import { apiToken } from './authenticate.ts';
import { createServerApp } from './create-server-app.ts';
import { serveApp } from './serve-app.ts';

const secret = 'x'.repeat(64);

function setup(): ReturnType<typeof createServerApp> {
  return createServerApp({ store: memoryStore(), tokens: [apiToken({ name: 'test', role: 'admin', secret })] });
}

/** The headers that are the server's own, without the name that each request gets. */
function told({ headers }: Response): Readonly<Record<string, string>> {
  const carried = ['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding', 'x-request-id'];
  return Object.fromEntries([...headers].filter(([name]) => !carried.includes(name)));
}

/** Without what differs from one request to the next: the time that has passed, and the fencing numbers. */
function steady(text: string): string {
  return text.replace(/"(retryAfterMs|remainingMs|token|lastToken)":[\d.]+/g, '"$1":0');
}

describe('serveApp', () => {
  it('answers over a socket and closes while a kept connection is idle', async () => {
    const server = await serveApp({ app: setup(), port: 0 });
    expect(await (await fetch(`${server.url}/healthz`)).json()).toEqual({ status: 'ok' });
    await server.close();
    await server.close();
    await expect(fetch(`${server.url}/healthz`)).rejects.toThrow();
  });

  it('answers who waits with 503, ends streams, then closes', async () => {
    const server = await serveApp({ app: setup(), port: 0 });
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
    const acquire = (body: object): Promise<Response> =>
      fetch(`${server.url}/api/v1/leases/acquire`, { method: 'POST', headers, body: JSON.stringify(body) });
    await acquire({ key: 'k', ttlMs: 30_000, owner: 'p.1@one' });
    const stream = await fetch(`${server.url}/api/v1/leases/notices?process=p`, { headers });
    const waiting = acquire({ key: 'k', ttlMs: 30_000, waitMs: 30_000, owner: 'q.1@two' });
    // The waiter is in line once the listing counts it.
    for (let inLine = 0; inLine === 0; ) {
      const { leases } = (await (await fetch(`${server.url}/api/v1/leases`, { headers })).json()) as {
        leases: { waiting: number }[];
      };
      inLine = leases[0]?.waiting ?? 0;
    }
    await server.close();
    expect((await waiting).status).toBe(503);
    expect(await stream.text()).toBe('{"kind":"ready"}\n');
  });

  it('says over a socket what it says in process: status, headers and body', async () => {
    const app = setup();
    const server = await serveApp({ app, port: 0 });
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
    const owned = { key: 'k', ttlMs: 30_000, owner: 'p.1@one' };
    const asked: readonly (readonly [number, string, RequestInit])[] = [
      [200, '/api/v1/leases/acquire', { method: 'POST', headers, body: JSON.stringify(owned) }],
      [400, '/api/v1/leases/acquire', { method: 'POST', headers, body: JSON.stringify({ ...owned, 鍵: 1 }) }],
      [
        409,
        '/api/v1/leases/acquire',
        { method: 'POST', headers, body: JSON.stringify({ ...owned, owner: 'p.2@two' }) },
      ],
      [401, '/api/v1/leases/acquire', { method: 'POST', body: 'x'.repeat(100_000) }],
      [405, '/api/v1/leases/acquire', {}],
      [404, '/api/v1/nothing', {}],
      [200, '/api/v1/leases', { headers }],
      [200, '/healthz', { method: 'HEAD' }],
    ];
    for (const [status, path, init] of asked) {
      const there = await fetch(`${server.url}${path}`, init);
      const here = await app.fetch(new Request(`${server.url}${path}`, init));
      expect([path, there.status, here.status]).toEqual([path, status, status]);
      expect(told(there)).toEqual(told(here));
      const [textThere, textHere] = [await there.text(), await here.text()];
      expect(steady(textThere)).toBe(steady(textHere));
      if (init.method !== 'HEAD') {
        expect(there.headers.get('content-length')).toBe(String(Buffer.byteLength(textThere)));
      }
    }
    await server.close();
  });

  it('says in one sentence that the port is in use, or the host not ours', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { port: number };
    await expect(serveApp({ app: setup(), port })).rejects.toMatchObject({
      code: 'in-use',
      message: `127.0.0.1:${port} is in use by another process; stop it or choose another port.`,
    });
    await new Promise((resolve) => other.close(resolve));
    await expect(serveApp({ app: setup(), port: 0, host: '192.0.2.1' })).rejects.toMatchObject({
      code: 'invalid-argument',
      message: 'The host 192.0.2.1 is not an address of this machine.',
    });
  });
});

it('says that it is not ready while it drains, and still serves', async () => {
  const app = createServerApp({ store: memoryStore(), tokens: [] });
  const clock = fakeClock();
  const server = await serveApp({ app, port: 0, drainMs: 5_000, clock });
  const status = async (path: string) => (await fetch(`${server.url}${path}`)).status;
  expect([await status('/readyz'), await status('/healthz')]).toEqual([200, 200]);
  const closed = server.close();
  expect([await status('/readyz'), await status('/healthz')]).toEqual([503, 200]);
  let open = true;
  void closed.then(() => {
    open = false;
  });
  // Connections turn idle in real time; the clock by which they are looked for is ours to move.
  while (open) {
    await clock.advance(1_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await expect(status('/readyz')).rejects.toThrow();
});
