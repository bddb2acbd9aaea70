import type { ClaimReply } from '../../core/ports.ts';
import type { Call } from '../call.ts';
import { claimBody } from '../contract.ts';
import { readBody } from '../read-request.ts';

/** Raises a fence, only upwards; `claimed: false` names the later token that stands there. */
export async function claimFence(call: Call): Promise<Response> {
  const reply = await call.services.store.claim(await readBody(call, claimBody));
  return Response.json(reply satisfies ClaimReply);
}
