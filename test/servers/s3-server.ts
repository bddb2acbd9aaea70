/**
 * A bucket server for tests: the few requests of S3 that we send, in memory, on loopback. It refuses requests that are
 * not signed with its key, and can lose a reply after it has stored the object, or fail before it has.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface S3Server {
  readonly endpoint: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** `bucket/key` → body. */
  readonly objects: Map<string, Buffer>;
  /** `METHOD bucket/key`, in order. */
  readonly requests: string[];
  /** What happens to the next writes, one entry each. */
  readonly faults: ('fail-before' | 'lose-reply')[];
  stop(): Promise<void>;
}

export async function startS3(): Promise<S3Server> {
  const objects = new Map<string, Buffer>();
  const requests: string[] = [];
  const faults: ('fail-before' | 'lose-reply')[] = [];
  const credentials = { accessKeyId: 'test-key', secretAccessKey: 'test-secret' };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readAll(request);
    const { pathname } = new URL(request.url ?? '/', 'http://s3');
    const name = decodeURIComponent(pathname.slice(1));
    requests.push(`${request.method} ${name}`);
    if (!isSigned(request, credentials.secretAccessKey)) return sendError(response, 403, 'SignatureDoesNotMatch');
    if (request.method === 'PUT') {
      const fault = faults.shift();
      if (fault === 'fail-before') return sendError(response, 503, 'SlowDown');
      objects.set(name, body);
      if (fault === 'lose-reply') return void request.socket.destroy();
      return void response.setHeader('etag', '"x"').end();
    }
    const object = objects.get(name);
    if (request.method === 'DELETE') {
      objects.delete(name);
      return void response.writeHead(204).end();
    }
    if (!object) return sendError(response, 404, 'NoSuchKey');
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
    const part = object.subarray(from);
    const range = { 'content-range': `bytes ${from}-${object.length - 1}/${object.length}` };
    response.writeHead(from > 0 ? 206 : 200, { 'content-length': part.length, ...(from > 0 && range) });
    response.end(part);
  };

  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    credentials,
    objects,
    requests,
    faults,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function sendError(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status, { 'content-type': 'application/xml' });
  response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`);
}

/** Signature version 4, over the headers that the client has signed. */
function isSigned(request: IncomingMessage, secret: string): boolean {
  const { authorization = '' } = request.headers;
  const [, scope = '', names = '', signature = ''] =
    /^AWS4-HMAC-SHA256 Credential=[^/]+\/([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
      authorization,
    ) ?? [];
  const [date = '', region = '', service = ''] = scope.split('/');
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://s3');
  const query = [...searchParams]
    .map(([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(value)}`)
    .sort();
  const headers = names.split(';').map((name) => `${name}:${String(request.headers[name] ?? '').trim()}\n`);
  const sum = String(request.headers['x-amz-content-sha256'] ?? '');
  const canonical = [request.method, pathname, query.join('&'), headers.join(''), names, sum].join('\n');
  const time = String(request.headers['x-amz-date'] ?? '');
  const toSign = ['AWS4-HMAC-SHA256', time, scope, createHash('sha256').update(canonical).digest('hex')].join('\n');
  const key = [date, region, service, 'aws4_request'].reduce<Buffer | string>(
    (secretPart, text) => createHmac('sha256', secretPart).update(text).digest(),
    `AWS4${secret}`,
  );
  const wanted = createHmac('sha256', key).update(toSign).digest('hex');
  return signature.length === wanted.length && timingSafeEqual(Buffer.from(signature), Buffer.from(wanted));
}
