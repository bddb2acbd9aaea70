/**
 * A session is a cookie that says who and until when, signed with a secret of the database: any server of it can check
 * it without asking. `value = base64url(json) . base64url(HMAC-SHA256(json))`.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { type Caller, type Role, roles } from '../authenticate.ts';

export const sessionCookieName = 'kannuki_session';

export interface Session extends Caller {
  /** ms since 1970. */
  readonly endsMs: number;
}

export function signSession(session: Session, secret: string): string {
  const body = Buffer.from(JSON.stringify(session)).toString('base64url');
  return `${body}.${signatureOf(body, secret).toString('base64url')}`;
}

/** Undefined: no cookie of ours, changed by somebody, or over. */
export function readSession(cookieHeader: string | null, secret: string, nowMs: number): Session | undefined {
  const [body, signature] = cookieValue(cookieHeader)?.split('.') ?? [];
  if (body === undefined || signature === undefined) return undefined;
  const expected = signatureOf(body, secret);
  const given = Buffer.from(signature, 'base64url');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  const { name, role, endsMs }: Session = JSON.parse(Buffer.from(body, 'base64url').toString());
  return isRole(role) && endsMs > nowMs ? { name, role, endsMs } : undefined;
}

/** No script reads it and no other site sends it. `Secure` where the page itself came by TLS. */
export function sessionCookie(value: string, maxAgeMs: number, secure: boolean): string {
  const age = Math.floor(maxAgeMs / 1000);
  return `${sessionCookieName}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${age}${secure ? '; Secure' : ''}`;
}

function signatureOf(body: string, secret: string): Buffer {
  return createHmac('sha256', secret).update(body).digest();
}

function cookieValue(header: string | null): string | undefined {
  for (const part of header?.split(';') ?? []) {
    const [name, value] = part.trim().split('=');
    if (name === sessionCookieName) return value;
  }
  return undefined;
}

function isRole(role: unknown): role is Role {
  return roles.some((known) => known === role);
}
