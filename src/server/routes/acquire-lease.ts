import type { AcquireReply } from '../../core/ports.ts';
import type { Call } from '../call.ts';
import { acquireBody, type GrantReply, type RefusalFields } from '../contract.ts';
import { makeOwner } from '../make-owner.ts';
import { jsonAnswer, type PlainAnswer } from '../plain-answer.ts';
import { ProblemError } from '../problem.ts';
import { readBody } from '../read-request.ts';
import { shareOf } from '../share-of.ts';
import { waitForLease } from '../wait-for-lease.ts';

/** Grants a lease at once, or after a wait; 409 names the holder and when to come again. */
export async function acquireLease(call: Call): Promise<PlainAnswer> {
  const { services } = call;
  const body = await readBody(call, acquireBody);
  const { key, ttlMs, waitMs = 0, line = false } = body;
  const { owner, isKnown } = body.owner === undefined ? makeOwner(call) : { owner: body.owner, isKnown: true };
  const request = { key, owner, ttlMs, line, ...shareOf(body) };
  const reply =
    waitMs === 0
      ? await services.store.acquire(request)
      : await waitForLease({
          request,
          waitMs,
          services,
          gone: call.request.signal,
          ownerKnown: isKnown,
        });
  if (!reply.granted) throw refusal(key, owner, waitMs, reply);
  const { token, lastToken } = reply;
  return jsonAnswer({ granted: true, key, owner, token, lastToken, expiresInMs: ttlMs } satisfies GrantReply);
}

function refusal(key: string, owner: string, waitMs: number, reply: AcquireReply & { granted: false }): ProblemError {
  const { holder, remainingMs, inLine, token } = reply;
  const fields: RefusalFields = {
    key,
    owner,
    token,
    inLine,
    ...(holder !== undefined && { holder }),
    ...(remainingMs !== undefined && { retryAfterMs: remainingMs }),
  };
  const by = holder === undefined ? 'somebody else' : holder;
  return new ProblemError({
    status: 409,
    ...(waitMs === 0
      ? { code: 'held', detail: `The lease "${key}" is held by ${by}.` }
      : { code: 'wait-timeout', detail: `The lease "${key}" was not free within ${waitMs} ms; it is held by ${by}.` }),
    fields,
    ...(remainingMs !== undefined && { headers: { 'retry-after': String(Math.ceil(remainingMs / 1000)) } }),
  });
}
