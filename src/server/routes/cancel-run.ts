import type { Call } from '../call.ts';
import { actBody } from '../job-contract.ts';
import { actorOf, jobsOf, noSuchRun } from '../jobs-of.ts';
import { ProblemError } from '../problem.ts';
import { readAct, readId } from '../read-request.ts';

/** 202: its worker was told and ends it. 200: it had not started and is CANCELED. */
export async function cancelRun(call: Call): Promise<Response> {
  const jobs = jobsOf(call);
  const id = readId(call);
  const { why } = await readAct(call, actBody);
  const { outcome } = await jobs.cancel(id, actorOf(call, why));
  if (outcome === 'not-found') throw noSuchRun(id);
  if (outcome === 'ended') {
    throw new ProblemError({ status: 409, code: 'ended', detail: `Run ${id} has ended; there is nothing to cancel.` });
  }
  return Response.json({ outcome }, { status: outcome === 'requested' ? 202 : 200 });
}
