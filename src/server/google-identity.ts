/**
 * Verifies the identity that Google's services send with a call (OpenID Connect): a JWT signed by Google for our
 * audience and, by its e-mail, from the service account we expect.
 */
import { createPublicKey, type JsonWebKey, verify } from 'node:crypto';
import { platform } from '#platform';
import type { Clock } from '../core/ports.ts';

export interface GoogleIdentityOptions {
  /** What the token must be made for: as given to the task, usually the address of the server. */
  readonly audience: string;
  /** The service account that calls. */
  readonly email: string;
  /** The keys in force, as a JSON Web Key Set. @default fetched from Google, kept for an hour */
  readonly fetchKeys?: () => Promise<readonly SigningKey[]>;
  /** @default the platform's clock */
  readonly clock?: Pick<Clock, 'monotonicMs' | 'wallMs'>;
}

export interface SigningKey extends JsonWebKey {
  readonly kid?: string;
}

const keysUrl = 'https://www.googleapis.com/oauth2/v3/certs';
const issuers: readonly unknown[] = ['https://accounts.google.com', 'accounts.google.com'];
const keysKeptMs = 3_600_000;
/** Clocks differ. */
const slackSec = 60;

/** For `verifyIdentity`. Keys that cannot be had are an error (a 5xx: the caller comes again), a bad token is false. */
export function googleIdentity(options: GoogleIdentityOptions): (bearer: string) => Promise<boolean> {
  const { audience, email, fetchKeys = fetchGoogleKeys, clock = platform.clock } = options;
  let kept: { readonly keys: readonly SigningKey[]; readonly untilMs: number } | undefined;

  const keyFor = async (kid: unknown): Promise<SigningKey | undefined> => {
    const known = kept && kept.untilMs > clock.monotonicMs() ? kept.keys.find((key) => key.kid === kid) : undefined;
    if (known) return known;
    // Unknown, or kept for too long: keys change. Asked again at most once a minute, whoever sends whatever.
    if (!kept || kept.untilMs - keysKeptMs + 60_000 <= clock.monotonicMs()) {
      kept = { keys: await fetchKeys(), untilMs: clock.monotonicMs() + keysKeptMs };
    }
    return kept.keys.find((key) => key.kid === kid);
  };

  return async (bearer) => {
    const [head = '', body = '', signature = '', ...rest] = bearer.split('.');
    const header = decode(head);
    const claims = decode(body);
    if (!header || !claims || rest.length > 0 || header.alg !== 'RS256') return false;
    const nowSec = clock.wallMs() / 1000;
    const inTime =
      typeof claims.exp === 'number' && claims.exp + slackSec > nowSec && Number(claims.iat) - slackSec < nowSec;
    const meant = claims.aud === audience && claims.email === email && claims.email_verified === true;
    if (!inTime || !meant || !issuers.includes(claims.iss)) return false;
    const key = await keyFor(header.kid);
    if (!key) return false;
    return verify(
      'RSA-SHA256',
      Buffer.from(`${head}.${body}`),
      createPublicKey({ key, format: 'jwk' }),
      Buffer.from(signature, 'base64url'),
    );
  };
}

function decode(part: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}

async function fetchGoogleKeys(): Promise<readonly SigningKey[]> {
  const late = new AbortController();
  const timer = platform.clock.after(10_000, () => late.abort(), { background: true });
  try {
    const reply = await fetch(keysUrl, { signal: late.signal });
    if (!reply.ok) throw new Error(`Google's signing keys could not be fetched: status ${reply.status}`);
    return ((await reply.json()) as { readonly keys: readonly SigningKey[] }).keys;
  } finally {
    timer.cancel();
  }
}
