import { analysesOf } from '../analyses-of.ts';
import { type AnalysesReply, analysesQuery } from '../analysis-contract.ts';
import type { Call } from '../call.ts';
import { pageOf } from '../paging/page-of.ts';
import { readQuery } from '../read-request.ts';

/** By id. */
export async function listAnalyses(call: Call): Promise<Response> {
  const reader = analysesOf(call);
  const { status, cursor, limit = 100 } = readQuery(call, analysesQuery);
  const { rows, more } = await pageOf({
    list: 'analyses',
    limit,
    read: (count) =>
      reader.list({ ...(status !== undefined && { status }), ...(cursor && { afterId: cursor[0] }), limit: count }),
    placeOf: ({ analysisId }) => [analysisId],
  });
  return Response.json({ analyses: rows, ...more } satisfies AnalysesReply);
}
