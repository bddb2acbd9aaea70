import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { JobContext } from '../job-handler.ts';
import { type HttpHandlerOptions, httpHandler } from './http-handler.ts';

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
});

interface Heard {
  readonly request: IncomingMessage;
  readonly body: string;
}

async function serve(
  answer: (response: ServerResponse, heard: Heard) => void,
): Promise<{ port: number; heard: Heard[] }> {
  const heard: Heard[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on('end', () => {
      heard.push({ request, body });
      answer(response, { request, body });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.push(server);
  return { port: (server.address() as AddressInfo).port, heard };
}

function contextOf(
  payload: unknown,
  signal: AbortSignal = new AbortController().signal,
): JobContext & { lines: string[] } {
  const lines: string[] = [];
  return {
    run: { id: 77, job: 'call', attempt: 2, scheduledForMs: null },
    payload,
    signal,
    startToken: 1234,
    lines,
    log: (line) => void lines.push(line),
    flushLog: () => Promise.resolve(),
    progress() {},
    assertOwner: () => Promise.resolve(),
    finishIn: () => Promise.reject(new Error('not here')),
  };
}

const call = (
  options: Partial<HttpHandlerOptions> & { url: string },
  context = contextOf({ a: 1 }),
): Promise<unknown> => Promise.resolve(httpHandler({ allow: ['127.0.0.1'], ...options })(context));

describe('httpHandler', () => {
  it('sends the payload with the run id as idempotency key, and keeps the answer', async () => {
    const { port, heard } = await serve((response) => {
      response.setHeader('content-type', 'application/json');
      response.end('{"done":true}');
    });
    const context = contextOf({ a: '✓' });
    const url = `http://127.0.0.1:${port}/hook?key=secret`;
    expect(await call({ url, headers: { authorization: 'Bearer x' } }, context)).toEqual({
      status: 200,
      body: { done: true },
    });
    expect(heard[0]?.body).toBe('{"a":"✓"}');
    expect(heard[0]?.request).toMatchObject({
      method: 'POST',
      url: '/hook?key=secret',
      headers: {
        authorization: 'Bearer x',
        'idempotency-key': '77',
        'kannuki-attempt': '2',
        'kannuki-token': '1234',
        'content-type': 'application/json',
      },
    });
    expect(context.lines.join()).toMatch(/POST http:\/\/127.0.0.1:\d+\/hook → 200 in \d+ ms/);
    expect(context.lines.join()).not.toContain('secret');
  });

  it.each<[number, boolean]>([
    [301, false],
    [400, false],
    [404, false],
    [408, true],
    [425, true],
    [429, true],
    [500, true],
    [503, true],
  ])('status %i is tried again: %s', async (status, retryable) => {
    const { port, heard } = await serve((response) => {
      response.writeHead(status, { 'retry-after': '7', location: 'http://169.254.169.254/' });
      response.end('because');
    });
    const failure = await call({ url: `http://127.0.0.1:${port}/` }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'target-failed', retryable, message: expect.stringContaining('because') });
    expect((failure as { retryAfterMs?: number }).retryAfterMs).toBe(retryable ? 7_000 : undefined);
    expect(heard).toHaveLength(1);
  });

  it('does not connect to an allowed name that leads inside', async () => {
    const { port, heard } = await serve((response) => response.end());
    const resolveHost: HttpHandlerOptions['resolveHost'] = (_host, done) =>
      done(null, [
        { address: '93.184.216.34', family: 4 },
        { address: '127.0.0.1', family: 4 },
      ]);
    const url = `http://api.example.com:${port}/`;
    await expect(call({ url, allow: ['api.example.com'], resolveHost })).rejects.toMatchObject({
      code: 'target-forbidden',
      retryable: false,
      message: expect.stringContaining('127.0.0.1'),
    });
    await expect(call({ url: `http://127.0.0.1:${port}/`, allow: ['public'] })).rejects.toMatchObject({
      code: 'target-forbidden',
    });
    await expect(call({ url: `http://0x7f.1:${port}/`, allow: ['public'] })).rejects.toMatchObject({
      code: 'target-forbidden',
    });
    expect(heard).toHaveLength(0);
    // The same name, with this machine on the list.
    await expect(
      call({
        url,
        allow: ['api.example.com', '127.0.0.1'],
        resolveHost: (_host, done) => done(null, [{ address: '127.0.0.1', family: 4 }]),
      }),
    ).resolves.toMatchObject({ status: 200 });
    expect(heard).toHaveLength(1);
  });

  it('gives up after its time, and at once when the run is stopped', async () => {
    const { port } = await serve(() => {});
    const url = `http://127.0.0.1:${port}/`;
    await expect(call({ url, timeoutMs: 50 })).rejects.toMatchObject({
      code: 'target-failed',
      retryable: true,
      message: expect.stringContaining('within 50 ms'),
    });
    const stop = new AbortController();
    const stopped = call({ url }, contextOf(1, stop.signal));
    stop.abort();
    await expect(stopped).rejects.toMatchObject({ code: 'aborted' });
  });

  it('says that nobody answers', async () => {
    const { port } = await serve(() => {});
    const [server] = servers.splice(0);
    server?.close();
    await expect(call({ url: `http://127.0.0.1:${port}/` })).rejects.toMatchObject({
      code: 'target-failed',
      retryable: true,
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });

  it('keeps only the beginning of an endless reply', async () => {
    const { port } = await serve((response) => {
      const more = (): void => {
        while (response.write('x'.repeat(10_000)));
        response.once('drain', more);
      };
      more();
    });
    const { body } = (await call({ url: `http://127.0.0.1:${port}/` })) as { body: string };
    expect(body).toHaveLength(65_536);
  });

  it.each(['ftp://example.com', 'http://user:pass@example.com', 'nonsense'])('refuses the URL %s', (url) => {
    expect(() => httpHandler({ url, allow: [] })).toThrow(/URL/);
  });
});
