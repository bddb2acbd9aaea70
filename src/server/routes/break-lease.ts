import { limits } from '../../core/limits.ts';
import type { BreakReply } from '../../core/ports.ts';
import type { Call } from '../call.ts';
import { breakBody } from '../contract.ts';
import { readBody } from '../read-request.ts';

/** Ends a lease by an operator's word. Who did it comes from the token, so nobody can sign for another. */
export async function breakLease(call: Call): Promise<Response> {
  const { key, reason, by, acceptMs = limits.acceptMsMax } = await readBody(call, breakBody);
  const author = call.caller?.name ?? 'unknown';
  const signed = by === undefined ? author : `${by} (token ${author})`;
  const reply = await call.services.store.breakLease({ key, reason, by: signed, acceptMs });
  if (reply.broken) call.services.logger.warn('lease broken', { key, reason, by: signed, holders: reply.holders });
  return Response.json(reply satisfies BreakReply);
}
