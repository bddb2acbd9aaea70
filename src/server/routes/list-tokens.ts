import { apiTokensOf } from '../access/api-tokens-of.ts';
import { type TokensReply, tokensQuery } from '../access/token-contract.ts';
import type { Call } from '../call.ts';
import { pageOf } from '../paging/page-of.ts';
import { readQuery } from '../read-request.ts';

/** Newest first; also those that are revoked or over. */
export async function listTokens(call: Call): Promise<Response> {
  const { cursor, limit = 100 } = readQuery(call, tokensQuery);
  const { rows, more } = await pageOf({
    list: 'tokens',
    limit,
    read: (count) => apiTokensOf(call).list({ ...(cursor && { beforeId: cursor[0] }), limit: count }),
    placeOf: ({ id }) => [id],
  });
  return Response.json({ tokens: rows, ...more } satisfies TokensReply);
}
