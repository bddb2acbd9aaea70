import type { Call } from '../call.ts';
import { acquireAllBody, type GrantAllReply, type RefusalFields } from '../contract.ts';
import { makeOwner } from '../make-owner.ts';
import { ProblemError } from '../problem.ts';
import { readBody } from '../read-request.ts';

/** Several keys, all or nothing, at once. */
export async function acquireLeases(call: Call): Promise<Response> {
  const body = await readBody(call, acquireAllBody);
  const keys = [...new Set(body.keys)].sort();
  const owner = body.owner ?? makeOwner(call).owner;
  const reply = await call.services.store.acquireAll({ keys, owner, ttlMs: body.ttlMs });
  if (reply.granted) {
    const { tokens } = reply;
    return Response.json({ granted: true, owner, tokens, expiresInMs: body.ttlMs } satisfies GrantAllReply);
  }
  const { key, holder, remainingMs } = reply;
  const fields: RefusalFields = {
    key,
    owner,
    ...(holder !== undefined && { holder }),
    ...(remainingMs !== undefined && { retryAfterMs: remainingMs }),
  };
  throw new ProblemError({
    status: 409,
    code: 'held',
    detail: `The lease "${key}" is held by ${holder ?? 'somebody else'}; none of the ${keys.length} was taken.`,
    fields,
  });
}
