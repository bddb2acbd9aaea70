import type { Call } from '../call.ts';
import { type ExplainLossReply, explainLossBody } from '../contract.ts';
import { readBody } from '../read-request.ts';

export async function explainLoss(call: Call): Promise<Response> {
  const cause = await call.services.store.explainLoss(await readBody(call, explainLossBody));
  return Response.json({ cause } satisfies ExplainLossReply);
}
