import type { Call } from '../call.ts';

/** The description of this server's own routes. */
export function getOpenapi({ services }: Call): Response {
  return Response.json(services.openapi(), { headers: { 'cache-control': 'no-cache' } });
}
