import type { Call } from '../call.ts';
import { jobsOf } from '../jobs-of.ts';
import { readBody } from '../read-request.ts';
import { refuseHidden } from '../refuse-hidden.ts';
import { type MatchCountReply, matchBody } from '../run-contract.ts';

/** Before an act on everything that matches: how many match, and to how many it applies. */
export async function countMatching(call: Call): Promise<Response> {
  const { action, filter } = await readBody(call, matchBody);
  refuseHidden(call, filter);
  return Response.json((await jobsOf(call).countMatching(action, filter)) satisfies MatchCountReply);
}
