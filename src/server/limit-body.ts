/**
 * Bodies have a bound, also those that do not say how long they are. Such a body is read here, up to the bound, and
 * the handler gets it as a request of its own. A request without length and without chunks has an empty body.
 */
import type { MiddlewareHandler } from 'hono';
import { httpLimits } from './http-limits.ts';
import { ProblemError } from './problem.ts';

export const limitBody: MiddlewareHandler = async (context, next) => {
  const { raw } = context.req;
  const length = raw.headers.get('content-length');
  if (length !== null && !raw.headers.has('transfer-encoding')) {
    if (!(Number(length) <= httpLimits.bodyBytesMax)) throw tooLarge();
  } else if (raw.body) {
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of raw.body) {
      size += chunk.byteLength;
      if (size > httpLimits.bodyBytesMax) throw tooLarge();
      chunks.push(chunk);
    }
    const { method, headers, signal } = raw;
    context.req.raw = new Request(raw.url, { method, headers, signal, body: Buffer.concat(chunks) });
  }
  await next();
};

function tooLarge(): ProblemError {
  return new ProblemError({
    status: 413,
    code: 'body-too-large',
    detail: `A body may have at most ${httpLimits.bodyBytesMax} bytes.`,
  });
}
