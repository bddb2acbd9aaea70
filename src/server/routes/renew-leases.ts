import type { RenewRequest } from '../../core/ports.ts';
import type { Call } from '../call.ts';
import {
  type RenewManyReply,
  type RenewOneBody,
  type RenewOneReply,
  renewManyBody,
  renewOneBody,
} from '../contract.ts';
import { jsonAnswer, type PlainAnswer } from '../plain-answer.ts';
import { ProblemError } from '../problem.ts';
import { checkShape, readJson } from '../read-request.ts';
import { shareOf } from '../share-of.ts';

/** One lease as the body itself, or many as `leases`, which get one answer each. */
export async function renewLeases(call: Call): Promise<PlainAnswer> {
  const json = await readJson(call);
  if (typeof json === 'object' && json !== null && 'leases' in json) {
    const { leases } = checkShape(json, renewManyBody);
    const renewed = leases.length === 0 ? [] : await call.services.store.renew(leases.map(toRequest));
    return jsonAnswer({ renewed } satisfies RenewManyReply);
  }
  const request = toRequest(checkShape(json, renewOneBody));
  const [renewed] = await call.services.store.renew([request]);
  if (renewed) return jsonAnswer({ renewed: true, expiresInMs: request.ttlMs } satisfies RenewOneReply);
  const cause = await call.services.store.explainLoss(request);
  throw new ProblemError({
    status: 409,
    code: 'lost',
    detail: `The lease "${request.key}" is no longer held under this owner and token; stop the work and acquire it anew.`,
    fields: { key: request.key, cause },
  });
}

function toRequest(renewal: RenewOneBody): RenewRequest {
  const { key, owner, token, ttlMs } = renewal;
  return { key, owner, token, ttlMs, ...shareOf(renewal) };
}
