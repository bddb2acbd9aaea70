import { apiTokensOf } from '../access/api-tokens-of.ts';
import { type CreateTokenReply, createTokenBody } from '../access/token-contract.ts';
import type { Call } from '../call.ts';
import { readBody } from '../read-request.ts';

/** 201 with the token, which is shown this once. */
export async function createToken(call: Call): Promise<Response> {
  const request = await readBody(call, createTokenBody);
  const { token, info } = await apiTokensOf(call).create({ ...request, by: call.caller?.name ?? 'unknown' });
  return Response.json({ ...info, token } satisfies CreateTokenReply, { status: 201 });
}
