import { formatLogPlace, isEndJobState, parseLogPlace } from '../../systems/jobs/index.ts';
import type { Call } from '../call.ts';
import { type LogReply, logQuery } from '../job-contract.ts';
import { jobsOf, noSuchRun } from '../jobs-of.ts';
import { ProblemError } from '../problem.ts';
import { readId, readQuery } from '../read-request.ts';

/** A page of a run's log. `ended`: the run has ended and this page is the last. */
export async function getRunLog(call: Call): Promise<Response> {
  const { read } = jobsOf(call);
  const id = readId(call);
  const { after, limit } = readQuery(call, logQuery);
  const place = after === undefined ? undefined : parseLogPlace(after);
  if (after !== undefined && !place) {
    throw new ProblemError({ status: 400, code: 'invalid-argument', detail: '"after" is not a place of a log.' });
  }
  // The run first: once it is seen ended, no line can come that the page does not have.
  const run = await read.run(id);
  if (!run) throw noSuchRun(id);
  const page = await read.log(id, { ...(place && { after: place }), ...(limit !== undefined && { limit }) });
  return Response.json({
    lines: page.lines,
    next: formatLogPlace(page.next),
    more: page.more,
    ended: isEndJobState(run.state) && !page.more,
  } satisfies LogReply);
}
