import type { Call } from '../call.ts';
import { actBody } from '../job-contract.ts';
import { actorOf, jobsOf, noSuchRun } from '../jobs-of.ts';
import { ProblemError } from '../problem.ts';
import { readAct, readId } from '../read-request.ts';

/** A run that was given to a worker and has not started goes to another. */
export async function reassignRun(call: Call): Promise<Response> {
  const jobs = jobsOf(call);
  const id = readId(call);
  const { why } = await readAct(call, actBody);
  const reply = await jobs.reassign(id, actorOf(call, why));
  if (reply.reassigned) return Response.json({ reassigned: true });
  if (reply.reason === 'not-found') throw noSuchRun(id);
  throw new ProblemError({
    status: 409,
    code: 'wrong-state',
    detail: `Run ${id} is not ASSIGNED; only a run that was given out and has not started can be reassigned.`,
  });
}
