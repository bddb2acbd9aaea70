/**
 * The door for task queues: a secret of its own, which opens nothing else, or a signed identity that a verifier
 * accepts. A token of a person does not open it.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { ProblemError } from './problem.ts';

export interface InternalCallers {
  /** SHA-256 of the internal token, in hexadecimal; see `internalToken`. */
  readonly tokenSha256?: string;
  /** Judges another bearer token, such as the identity that Cloud Tasks sends. It must not throw for a bad one. */
  readonly verifyIdentity?: (bearer: string) => Promise<boolean>;
}

/** The internal token as the server keeps it. `secret` should be 32 random bytes in hexadecimal. */
export function internalToken(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Throws a 401 unless the caller is a task queue of ours. */
export async function authenticateInternal(request: Request, callers: InternalCallers): Promise<void> {
  const presented = /^Bearer +([\x21-\x7e]+)$/i.exec(request.headers.get('authorization') ?? '')?.[1];
  if (presented !== undefined) {
    const { tokenSha256, verifyIdentity } = callers;
    if (tokenSha256 !== undefined && isSame(tokenSha256, presented)) return;
    if (verifyIdentity && (await verifyIdentity(presented))) return;
  }
  throw new ProblemError({
    status: 401,
    code: 'unauthenticated',
    detail: 'Send the internal token in the header "Authorization: Bearer …".',
    headers: { 'www-authenticate': 'Bearer' },
  });
}

function isSame(sha256: string, presented: string): boolean {
  const known = Buffer.from(sha256, 'hex');
  const sum = createHash('sha256').update(presented).digest();
  return known.length === sum.length && timingSafeEqual(known, sum);
}
