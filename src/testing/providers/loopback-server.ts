/** An HTTP server on a free port of 127.0.0.1 whose answers can be lost on purpose. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface LoopbackRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** `drop`: the connection breaks. `hang`: it stays open, and nothing comes. */
export type LoopbackAnswer =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly headers?: Record<string, string>;
      readonly body: unknown;
    }
  | { readonly kind: 'drop' }
  | { readonly kind: 'hang' };

export interface LoopbackServer {
  readonly port: number;
  readonly url: string;
  close(): Promise<void>;
}

export async function loopbackServer(
  answer: (request: LoopbackRequest) => Promise<LoopbackAnswer>,
): Promise<LoopbackServer> {
  const server = createServer((incoming, outgoing) => {
    respond(incoming, outgoing).catch(() => incoming.socket.destroy());
  });
  const respond = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const url = new URL(incoming.url ?? '/', 'http://loopback.invalid');
    const reply = await answer({
      method: incoming.method ?? 'GET',
      path: url.pathname,
      query: url.searchParams,
      headers: Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)])),
      body: await textOf(incoming),
    });
    if (reply.kind === 'drop') incoming.socket.destroy();
    if (reply.kind !== 'answer') return;
    outgoing.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers });
    outgoing.end(JSON.stringify(reply.body));
  };
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        // Kept-alive and hung connections would hold it open.
        server.closeAllConnections();
      }),
  };
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
