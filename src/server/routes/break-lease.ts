import { limits } from '../../core/limits.ts';
import type { BreakReply } from '../../core/ports.ts';
import { breakWithAudit } from '../access/break-with-audit.ts';
import type { Call } from '../call.ts';
import { breakBody } from '../contract.ts';
import { readBody } from '../read-request.ts';

/**
 * Ends a lease by an operator's word. `by` is told to the holder as the caller wrote it; whose token it was goes to the
 * log and the audit, so that nobody can sign for another there.
 */
export async function breakLease(call: Call): Promise<Response> {
  const { key, reason, by, acceptMs = limits.acceptMsMax } = await readBody(call, breakBody);
  const caller = call.caller?.name ?? 'unknown';
  const { store, auditDatabase: database } = call.services;
  const request = { key, reason, by: by ?? caller, acceptMs };
  const reply = database
    ? await breakWithAudit({ store, database, request, actor: caller })
    : await store.breakLease(request);
  if (reply.broken) call.services.logger.warn('lease broken', { key, reason, by, caller, holders: reply.holders });
  return Response.json(reply satisfies BreakReply);
}
