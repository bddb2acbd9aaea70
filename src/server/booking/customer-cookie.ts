/**
 * Who a customer is: a visitor's random name in a cookie, signed with a secret of the database. It proves that this
 * browser made a booking, and nothing else: it opens no page of the house.
 * `value = base64url(json) . base64url(HMAC-SHA256(json))`.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

export const customerCookieName = 'kannuki_customer';

export interface CustomerVisit {
  /** 32 hexadecimal digits. */
  readonly visitor: string;
  /** ms since 1970. */
  readonly endsMs: number;
}

export function signVisit({ visitor, endsMs }: CustomerVisit, secret: string): string {
  const body = Buffer.from(JSON.stringify({ visitor, endsMs })).toString('base64url');
  return `${body}.${signatureOf(body, secret).toString('base64url')}`;
}

/** Undefined: no cookie of ours, changed by somebody, or over. */
export function readVisit(cookieHeader: string | null, secret: string, nowMs: number): CustomerVisit | undefined {
  const [body, signature] = cookieValue(cookieHeader)?.split('.') ?? [];
  if (body === undefined || signature === undefined) return undefined;
  const expected = signatureOf(body, secret);
  const given = Buffer.from(signature, 'base64url');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  const { visitor, endsMs }: CustomerVisit = JSON.parse(Buffer.from(body, 'base64url').toString());
  return /^[0-9a-f]{32}$/.test(visitor) && endsMs > nowMs ? { visitor, endsMs } : undefined;
}

/** Lax: a customer comes back from the payment page of another site. What changes something needs our origin besides. */
export function customerCookie(value: string, maxAgeMs: number, secure: boolean): string {
  const age = Math.floor(maxAgeMs / 1000);
  return `${customerCookieName}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${age}${secure ? '; Secure' : ''}`;
}

function signatureOf(body: string, secret: string): Buffer {
  return createHmac('sha256', secret).update(body).digest();
}

function cookieValue(header: string | null): string | undefined {
  for (const part of header?.split(';') ?? []) {
    const [name, value] = part.trim().split('=');
    if (name === customerCookieName) return value;
  }
  return undefined;
}
