import { analysesOf } from '../analyses-of.ts';
import type { AnalysisReply } from '../analysis-contract.ts';
import type { Call } from '../call.ts';
import { ProblemError } from '../problem.ts';

/** One analysis with what was asked, what was found and who is at it. */
export async function getAnalysis(call: Call): Promise<Response> {
  const { redaction } = call.services;
  const id = call.params.id ?? '';
  const found = await analysesOf(call).find(id);
  if (!found) throw new ProblemError({ status: 404, code: 'not-found', detail: 'There is no such analysis.' });
  const { input, result } = found;
  return Response.json({
    analysis: {
      ...found,
      input: redaction.hide(input),
      ...(result !== undefined && { result: redaction.hide(result) }),
    },
  } satisfies AnalysisReply);
}
