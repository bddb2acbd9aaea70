import type { Call } from '../call.ts';
import { actBody } from '../job-contract.ts';
import { actorOf, jobsOf, noSuchWorker } from '../jobs-of.ts';
import { readAct, readId } from '../read-request.ts';

/** The worker gets nothing more and must confirm what it runs. */
export async function detachWorker(call: Call): Promise<Response> {
  const jobs = jobsOf(call);
  const id = readId(call);
  const { why } = await readAct(call, actBody);
  if (!(await jobs.detach(id, actorOf(call, why)))) throw noSuchWorker(id);
  return Response.json({ changed: true });
}
