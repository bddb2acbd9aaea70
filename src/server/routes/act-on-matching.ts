import type { Call } from '../call.ts';
import { actorOf, jobsOf } from '../jobs-of.ts';
import { ProblemError } from '../problem.ts';
import { readBody } from '../read-request.ts';
import { refuseHidden } from '../refuse-hidden.ts';
import { type MatchActReply, matchActBody } from '../run-contract.ts';

/** More than these need a reason. */
const freeMax = 20;

/** Cancels or retries what a filter means. A 409 when the count is no longer what the caller saw; nothing was done. */
export async function actOnMatching(call: Call): Promise<Response> {
  const { action, filter, expected, why } = await readBody(call, matchActBody);
  refuseHidden(call, filter);
  if (expected > freeMax && why === undefined) {
    throw new ProblemError({
      status: 400,
      code: 'invalid-argument',
      detail: `"why": an act on more than ${freeMax} runs needs a reason.`,
    });
  }
  const outcome = await jobsOf(call).actOnMatching(action, filter, { expected, ...actorOf(call, why) });
  if (outcome.acted) return Response.json(outcome satisfies MatchActReply);
  throw new ProblemError({
    status: 409,
    code: 'count-changed',
    detail: `It applies to ${outcome.count.applies} runs now, not to ${expected}; nothing was done.`,
    fields: { count: outcome.count },
  });
}
