/**
 * Who calls. The server is closed by default: without tokens nobody gets in. Only SHA-256 sums of tokens are kept, and
 * a presented one is compared with every sum in constant time, so that the time of a refusal tells nothing.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { ProblemError } from './problem.ts';
import { isSameOrigin } from './same-origin.ts';

/** Each role may do what the ones before it may. */
export const roles = ['viewer', 'operator', 'admin'] as const;
export type Role = (typeof roles)[number];

export interface ApiToken {
  /** Shown in logs and as the author of a break. */
  readonly name: string;
  readonly role: Role;
  /** SHA-256 of the token, in hexadecimal. */
  readonly sha256: string;
}

export interface Caller {
  readonly name: string;
  readonly role: Role;
}

/** The token as the server keeps it. `secret` should be 32 random bytes in hexadecimal. */
export function apiToken(options: { readonly name: string; readonly role: Role; readonly secret: string }): ApiToken {
  const { name, role, secret } = options;
  return { name, role, sha256: createHash('sha256').update(secret).digest('hex') };
}

/** What this file needs to know of sessions. */
export interface Sessions {
  callerOf(request: Request): Caller | undefined;
}

/** What this file needs to know of tokens in a database. */
export interface StoredTokens {
  find(presented: string): Promise<Caller | undefined>;
}

/** Everybody this server knows. */
export interface KnownCallers {
  /** Those of the configuration. */
  readonly tokens: readonly ApiToken[];
  /** Those of the database. */
  readonly apiTokens?: StoredTokens | undefined;
  readonly sessions?: Sessions | undefined;
  /** See `DoorOptions`. */
  readonly publicHost?: string | undefined;
}

/** The caller, or a problem: 401 without a known token or session, 403 when its role is too low. */
export async function authenticate(request: Request, needed: Role, known: KnownCallers): Promise<Caller> {
  // Closed by default: a route whose role was forgotten is open to nobody.
  if (!roles.includes(needed)) throw new Error(`There is no role ${String(needed)}.`);
  const presented = bearerOf(request);
  const caller =
    presented === undefined
      ? callerOfCookie(request, known)
      : (findCaller(presented, known.tokens) ?? (await known.apiTokens?.find(presented)));
  if (!caller) {
    throw new ProblemError({
      status: 401,
      code: 'unauthenticated',
      detail: 'Send a known token in the header "Authorization: Bearer …".',
      headers: { 'www-authenticate': 'Bearer' },
    });
  }
  if (roles.indexOf(caller.role) < roles.indexOf(needed)) {
    throw new ProblemError({
      status: 403,
      code: 'forbidden',
      detail: `This needs the role ${needed}; "${caller.name}" has the role ${caller.role}.`,
    });
  }
  return caller;
}

/** A browser adds the cookie by itself: what changes something must then come from a page of ours. */
function callerOfCookie(request: Request, { sessions, publicHost }: KnownCallers): Caller | undefined {
  if (request.headers.has('authorization')) return undefined;
  const caller = sessions?.callerOf(request);
  if (caller && request.method !== 'GET' && !isSameOrigin(request, publicHost)) {
    throw new ProblemError({
      status: 403,
      code: 'forbidden',
      detail: 'A signed-in browser may change something only from a page of this server.',
    });
  }
  return caller;
}

function bearerOf({ headers }: Request): string | undefined {
  return /^Bearer +([\x21-\x7e]+)$/i.exec(headers.get('authorization') ?? '')?.[1];
}

function findCaller(presented: string, tokens: readonly ApiToken[]): Caller | undefined {
  const sum = createHash('sha256').update(presented).digest();
  let found: Caller | undefined;
  for (const token of tokens) {
    const known = sumOf(token);
    if (known.length === sum.length && timingSafeEqual(known, sum)) found = { name: token.name, role: token.role };
  }
  return found;
}

/** The bytes of the sum, read once for each token of the configuration. */
function sumOf(token: ApiToken): Buffer {
  const known = sums.get(token) ?? Buffer.from(token.sha256, 'hex');
  sums.set(token, known);
  return known;
}

const sums = new WeakMap<ApiToken, Buffer>();
