import type { Call } from '../call.ts';

/** For Prometheus, which sends a viewer's token. */
export async function getMetrics({ services }: Call): Promise<Response> {
  const { metrics } = services;
  return new Response(await metrics.text(), { headers: { 'content-type': metrics.contentType } });
}
