import type { Call } from '../call.ts';

/** Who the caller is. */
export function getSession({ caller }: Call): Response {
  return Response.json(caller);
}
