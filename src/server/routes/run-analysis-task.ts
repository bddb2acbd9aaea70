import { type AnalysisTaskReply, analysisTaskBody } from '../analysis-task-body.ts';
import type { Call } from '../call.ts';
import { ProblemError } from '../problem.ts';
import { readBody } from '../read-request.ts';

/**
 * Called by a task queue until it hears 2xx. So 200 only when the analysis is at its end: while somebody else is at it,
 * or we lost it on the way, nobody knows yet whether it will be done, and the queue must come again.
 */
export async function runAnalysisTask(call: Call): Promise<Response> {
  const { analysis } = call.services.systems;
  if (!analysis) throw new Error('The analysis route is served without a worker.');
  const { worker, onLocked = 'retry' } = analysis;
  const analysisId = await readBody(call, analysisTaskBody);
  const found = await worker.handle({ analysisId });
  const unfinished = found.outcome === 'lost' || (found.outcome === 'skipped' && found.reason === 'locked');
  if (!unfinished || onLocked === 'skip') {
    const reply: AnalysisTaskReply = {
      outcome: found.outcome,
      ...('reason' in found && found.outcome !== 'failed' && { reason: found.reason }),
    };
    return Response.json(reply);
  }
  const lost = found.outcome === 'lost';
  const afterSec = Math.max(1, Math.ceil((found.retryAfterMs ?? 0) / 1000));
  throw new ProblemError({
    status: 409,
    code: lost ? 'lost' : 'held',
    detail: lost
      ? `The lock of analysis "${analysisId}" was lost before its result was stored; come again.`
      : `Somebody else works on analysis "${analysisId}"; come again to see that it was done.`,
    fields: { outcome: found.outcome, reason: found.reason },
    headers: { 'retry-after': `${afterSec}` },
  });
}
