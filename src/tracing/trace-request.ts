/** A span for one request, a child of the caller's if the caller sent `traceparent`. */
import { context, propagation, SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { tracer } from './tracer.ts';

export interface TracedAnswer {
  readonly status: number;
  /** A path of the table of routes. */
  readonly route: string | undefined;
}

/** `work` answers with what the span should say; a throw ends it, too. */
export async function traceRequest<Answer extends TracedAnswer>(
  request: Request,
  requestId: string,
  work: () => Promise<Answer>,
): Promise<Answer> {
  const found = tracer();
  if (!found) return work();
  const parent = propagation.extract(context.active(), request.headers, {
    get: (headers, name) => headers.get(name) ?? undefined,
    keys: (headers) => [...headers.keys()],
  });
  const attributes = { 'http.request.method': request.method, 'kannuki.request.id': requestId };
  return found.startActiveSpan(request.method, { kind: SpanKind.SERVER, attributes }, parent, async (span) => {
    try {
      const answer = await work();
      const { status, route } = answer;
      span.setAttribute('http.response.status_code', status);
      // The route, never the path: a path may hold a secret.
      if (route !== undefined) span.updateName(`${request.method} ${route}`).setAttribute('http.route', route);
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      return answer;
    } finally {
      span.end();
    }
  });
}
