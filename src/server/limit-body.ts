/**
 * Bodies have a bound, also those that do not say how long they are. Such a body is read here, up to the bound, and
 * the handler gets it as a request of its own. A request without length and without chunks has an empty body.
 */
import { httpLimits } from './http-limits.ts';
import { ProblemError } from './problem.ts';

/** The request to go on with; throws the problem of a body that is too large. */
export function limitBody(request: Request): Request | Promise<Request> {
  const length = request.headers.get('content-length');
  if (length === null || request.headers.has('transfer-encoding')) return request.body ? readWhole(request) : request;
  if (!(Number(length) <= httpLimits.bodyBytesMax)) throw tooLarge();
  return request;
}

async function readWhole(request: Request): Promise<Request> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > httpLimits.bodyBytesMax) throw tooLarge();
    chunks.push(chunk);
  }
  const { method, headers, signal, url } = request;
  return new Request(url, { method, headers, signal, body: Buffer.concat(chunks) });
}

function tooLarge(): ProblemError {
  return new ProblemError({
    status: 413,
    code: 'body-too-large',
    detail: `A body may have at most ${httpLimits.bodyBytesMax} bytes.`,
  });
}
