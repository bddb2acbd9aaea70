import type { Call } from '../call.ts';
import { actBody } from '../job-contract.ts';
import { actorOf, jobsOf, noSuchRun } from '../jobs-of.ts';
import { ProblemError } from '../problem.ts';
import { readAct, readId } from '../read-request.ts';

/** An ended run once more, as a new one that names it. */
export async function retryRun(call: Call): Promise<Response> {
  const jobs = jobsOf(call);
  const id = readId(call);
  const { why } = await readAct(call, actBody);
  const reply = await jobs.retry(id, actorOf(call, why));
  if (reply.retried) return Response.json({ runId: reply.runId }, { status: 201 });
  if (reply.reason === 'not-found') throw noSuchRun(id);
  const detail =
    reply.reason === 'not-ended'
      ? `Run ${id} is still under way; cancel it first.`
      : `Run ${id} has its next attempt already; retry that one.`;
  throw new ProblemError({ status: 409, code: reply.reason, detail });
}
