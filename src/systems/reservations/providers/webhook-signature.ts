/**
 * The signature of payment webhooks: header `t=<seconds>,v1=<hex>[,v1=<hex>…]`, HMAC-SHA256 over `<seconds>.<body>`.
 * Several `v1` stand for several secrets, so that a secret can be replaced without a gap. The time is part of what is
 * signed: a message kept for later is refused by its age, one from the future by the same tolerance, because a
 * signature that is valid for years is a stolen one waiting to be used.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** Larger bodies are not webhooks of ours. */
export const webhookBytesMax = 1_048_576;

/** How far the sender's clock may be from ours, in both directions. */
export const webhookToleranceMs = 300_000;

export type SignatureFlaw = 'unsigned' | 'malformed' | 'wrong' | 'too-old' | 'from-the-future';

export interface SignedWebhook {
  readonly rawBody: string;
  readonly signature: string | undefined;
  /** Any of these may have signed it. */
  readonly secrets: readonly string[];
  readonly nowMs: number;
  readonly toleranceMs: number;
}

export function signWebhook(request: {
  readonly rawBody: string;
  readonly secret: string;
  readonly atMs: number;
}): string {
  const seconds = Math.floor(request.atMs / 1000);
  return `t=${seconds},v1=${hmac(request.secret, `${seconds}.${request.rawBody}`)}`;
}

/** What is wrong with it; undefined = nothing. */
export function checkWebhookSignature(webhook: SignedWebhook): SignatureFlaw | undefined {
  const { rawBody, signature, secrets } = webhook;
  if (signature === undefined || signature === '') return 'unsigned';
  const signedAtMs = signedAt(signature);
  if (signedAtMs === undefined) return 'malformed';
  const given = valuesOf(signature, 'v1');
  const expected = secrets.map((secret) => hmac(secret, `${signedAtMs / 1000}.${rawBody}`));
  if (!given.some((value) => expected.some((wanted) => isSame(value, wanted)))) return 'wrong';
  return checkSignedTime(signedAtMs, webhook);
}

/** Its age alone, in both directions. */
export function checkSignedTime(
  signedAtMs: number,
  { nowMs, toleranceMs }: Pick<SignedWebhook, 'nowMs' | 'toleranceMs'>,
): SignatureFlaw | undefined {
  if (nowMs - signedAtMs > toleranceMs) return 'too-old';
  // The header has whole seconds, rounded down: a second is never too far ahead for rounding alone.
  return signedAtMs - nowMs > toleranceMs ? 'from-the-future' : undefined;
}

/** The header's time; undefined when it has none, or two: readers that take the first and the last would differ. */
export function signedAt(signature: string): number | undefined {
  const [seconds, ...more] = valuesOf(signature, 't');
  return seconds !== undefined && more.length === 0 && /^\d{1,12}$/.test(seconds) ? Number(seconds) * 1000 : undefined;
}

function valuesOf(signature: string, name: string): readonly string[] {
  return signature
    .split(',')
    .map((part) => part.split('='))
    .filter(([key]) => key === name)
    .map(([, value]) => value ?? '');
}

function hmac(secret: string, text: string): string {
  return createHmac('sha256', secret).update(text, 'utf8').digest('hex');
}

function isSame(given: string, wanted: string): boolean {
  const left = Buffer.from(given);
  const right = Buffer.from(wanted);
  return left.length === right.length && timingSafeEqual(left, right);
}
