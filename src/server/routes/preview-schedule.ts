import { checkSchedule, nextDueTimes } from '../../systems/jobs/index.ts';
import type { Call } from '../call.ts';
import { type PreviewReply, previewBody } from '../job-contract.ts';
import { ProblemError } from '../problem.ts';
import { readBody } from '../read-request.ts';

/** What a form shows while somebody writes a schedule. Nothing is stored. */
export async function previewSchedule(call: Call): Promise<Response> {
  const { schedule, count = 5, afterMs = call.services.clock.wallMs() } = await readBody(call, previewBody);
  const check = checkSchedule(schedule);
  if (!check.valid) {
    throw new ProblemError({
      status: 400,
      code: 'invalid-schedule',
      detail: check.problem,
      fields: { field: check.field },
    });
  }
  return Response.json({ nextDueTimes: nextDueTimes(schedule, afterMs, count) } satisfies PreviewReply);
}
