/** The app on a port of this machine. Stopping answers those who wait, lets the others finish, and then closes. */
import type { IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createAdaptorServer, type Http2Bindings, type HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { platform } from '#platform';
import { LeaseError } from '../core/errors.ts';
import type { Clock } from '../core/ports.ts';
import type { ServerApp } from './create-server-app.ts';
import { httpLimits } from './http-limits.ts';
import type { PlainAnswer } from './plain-answer.ts';

export interface ServeAppOptions {
  readonly app: ServerApp;
  /** 0 takes a free one. */
  readonly port: number;
  /** @default '127.0.0.1' */
  readonly host?: string;
  /** How long `/readyz` says no, while everything is still served, before the port is closed. @default 0 */
  readonly drainMs?: number;
  /** How long requests under way may take once the server stops. @default 5000 */
  readonly graceMs?: number;
  /** @default the platform's clock */
  readonly clock?: Clock;
}

export interface RunningServer {
  readonly port: number;
  readonly url: string;
  close(): Promise<void>;
}

export async function serveApp(options: ServeAppOptions): Promise<RunningServer> {
  const { app, port, host = '127.0.0.1', graceMs = 5_000, drainMs = 0, clock = platform.clock } = options;
  const server = createAdaptorServer({
    fetch: async (request, { incoming, outgoing }) => {
      const answered = await app.answer(request, incoming.socket.remoteAddress);
      return answered instanceof Response ? answered : send(answered, outgoing);
    },
    overrideGlobalObjects: false,
    serverOptions: {
      maxHeaderSize: httpLimits.headerBytesMax,
      headersTimeout: httpLimits.headersMsMax,
      requestTimeout: httpLimits.requestMsMax,
    },
  });
  if ('maxHeadersCount' in server) server.maxHeadersCount = httpLimits.headersMax;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => reject(listenError(cause, host, port)));
    server.listen(port, host, resolve);
  });
  server.on('error', () => {});
  // Connections that were opened and never used do not count as idle to Node, and would hold up the stop.
  const unused = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  server.on('request', (request: IncomingMessage) => unused.delete(request.socket));
  const address = server.address() as AddressInfo;
  const shownHost = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  let closing: Promise<void> | undefined;

  const close = async (): Promise<void> => {
    app.stop();
    // Balancers look at /readyz now and then: until they have, requests still come.
    if (drainMs > 0) await new Promise<void>((resolve) => clock.after(drainMs, resolve));
    let open = true;
    const closed = new Promise<void>((resolve) => {
      server.close(() => {
        open = false;
        resolve();
      });
    });
    // A connection that was busy turns idle later, and would be kept open by its client.
    const untilMs = clock.monotonicMs() + graceMs;
    const closeIdle = (): void => {
      if (!open || !('closeIdleConnections' in server)) return;
      if (clock.monotonicMs() < untilMs) server.closeIdleConnections();
      else server.closeAllConnections();
      clock.after(20, closeIdle, { background: true });
    };
    closeIdle();
    for (const socket of unused) socket.destroy();
    await closed;
  };
  return {
    port: address.port,
    url: `http://${shownHost}:${address.port}`,
    close() {
      closing ??= close();
      return closing;
    },
  };
}

function send(
  { status, headers, body }: PlainAnswer,
  outgoing: HttpBindings['outgoing'] | Http2Bindings['outgoing'],
): Response {
  outgoing.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
  outgoing.end(body);
  return RESPONSE_ALREADY_SENT;
}

function listenError(cause: NodeJS.ErrnoException, host: string, port: number): LeaseError {
  const at = `${host}:${port}`;
  switch (cause.code) {
    case 'EADDRINUSE':
      return new LeaseError(`${at} is in use by another process; stop it or choose another port.`, {
        code: 'in-use',
        cause,
      });
    case 'EACCES':
      return new LeaseError(`This user may not listen on ${at}; choose a port above 1023.`, {
        code: 'invalid-argument',
        cause,
      });
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new LeaseError(`The host ${host} is not an address of this machine.`, { code: 'invalid-argument', cause });
    default:
      return new LeaseError(`The server cannot listen on ${at}: ${cause.message}.`, {
        code: 'invalid-argument',
        cause,
      });
  }
}
