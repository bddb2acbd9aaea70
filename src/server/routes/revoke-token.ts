import { apiTokensOf } from '../access/api-tokens-of.ts';
import type { ApiTokenInfo } from '../access/create-api-tokens.ts';
import { revokeTokenBody } from '../access/token-contract.ts';
import type { Call } from '../call.ts';
import { actorOf } from '../jobs-of.ts';
import { ProblemError } from '../problem.ts';
import { readAct } from '../read-request.ts';

/** From the answer on every server refuses it. */
export async function revokeToken(call: Call): Promise<Response> {
  const id = call.params.id ?? '';
  const { why } = await readAct(call, revokeTokenBody);
  const { by = 'unknown' } = actorOf(call, why);
  const revoked = /^[0-9a-f]{12}$/.test(id)
    ? await apiTokensOf(call).revoke(id, { by, ...(why !== undefined && { why }) })
    : undefined;
  if (!revoked) throw new ProblemError({ status: 404, code: 'not-found', detail: 'There is no such token.' });
  return Response.json(revoked satisfies ApiTokenInfo);
}
