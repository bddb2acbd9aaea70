import { apiTokensOf } from '../access/api-tokens-of.ts';
import { type TokensReply, tokensQuery } from '../access/token-contract.ts';
import type { Call } from '../call.ts';
import { readQuery } from '../read-request.ts';

/** Newest first; also those that are revoked or over. */
export async function listTokens(call: Call): Promise<Response> {
  return Response.json({ tokens: await apiTokensOf(call).list(readQuery(call, tokensQuery)) } satisfies TokensReply);
}
