import type { Call } from '../call.ts';
import { jobsOf } from '../jobs-of.ts';
import { ProblemError } from '../problem.ts';
import { readQuery } from '../read-request.ts';
import { refuseHidden } from '../refuse-hidden.ts';
import { countQuery, type RunCountsReply } from '../run-contract.ts';

/** How many runs a filter means, by state; with `parts` also when they were due. */
export async function countRuns(call: Call): Promise<Response> {
  const { read } = jobsOf(call);
  const { parts, ...filter } = readQuery(call, countQuery);
  refuseHidden(call, filter);
  const counts = await read.countRuns(filter);
  if (parts === undefined) return Response.json(counts satisfies RunCountsReply);
  const { fromMs, toMs } = filter;
  if (fromMs === undefined || toMs === undefined || toMs <= fromMs) {
    throw new ProblemError({
      status: 400,
      code: 'invalid-argument',
      detail: '"parts" needs "fromMs" and a later "toMs".',
    });
  }
  const over = await read.countRunsOverTime({ ...filter, fromMs, toMs }, parts);
  return Response.json({ ...counts, parts: over } satisfies RunCountsReply);
}
