import type { Call } from '../call.ts';
import { ProblemError } from '../problem.ts';

/** The database answers and its tables are there; else come again later. */
export async function getReadiness({ services }: Call): Promise<Response> {
  if (services.stopping.aborted) throw notReady('The server is about to stop.');
  const readiness = await services.isReady();
  if (!readiness.ready) throw notReady(readiness.reason);
  return Response.json({ status: 'ready' });
}

function notReady(detail: string): ProblemError {
  return new ProblemError({ status: 503, code: 'not-ready', detail, headers: { 'retry-after': '1' } });
}
