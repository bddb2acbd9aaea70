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
