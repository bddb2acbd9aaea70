import type { Call } from '../call.ts';
import { actBody } from '../job-contract.ts';
import { actorOf, jobsOf, noSuchWorker } from '../jobs-of.ts';
import { readAct, readId } from '../read-request.ts';

/** The worker finishes what it has and gets nothing more. */
export async function drainWorker(call: Call): Promise<Response> {
  const jobs = jobsOf(call);
  const id = readId(call);
  const { why } = await readAct(call, actBody);
  if (!(await jobs.drain(id, actorOf(call, why)))) throw noSuchWorker(id);
  return Response.json({ changed: true });
}
