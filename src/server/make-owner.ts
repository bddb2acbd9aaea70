import { createHash } from 'node:crypto';
import { grantId, safeProcessName } from '../core/grant-id.ts';
import type { Call } from './call.ts';
import { idempotencyKeyOf } from './once/idempotency-key-of.ts';

export interface MadeOwner {
  readonly owner: string;
  /** The caller can name it again. */
  readonly isKnown: boolean;
}

/**
 * A grant id for a caller who brought none. With an `Idempotency-Key` it is always the same, so the request can be
 * repeated. Without, nobody else knows it, and its place in line dies with the request.
 */
export function makeOwner({ services, caller, request }: Call): MadeOwner {
  const name = caller?.name ?? '';
  const key = idempotencyKeyOf(request);
  if (key === undefined) return { owner: grantId(services.random.hex(8), 1, safeProcessName(name)), isKnown: false };
  const sum = createHash('sha256')
    .update(JSON.stringify([caller?.role, name, key]))
    .digest('hex');
  return { owner: grantId(sum.slice(0, 16), 1, safeProcessName(name)), isKnown: true };
}
