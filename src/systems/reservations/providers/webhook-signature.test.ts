import { expect, it } from 'vitest';
import { checkWebhookSignature, signedAt, signWebhook } from './webhook-signature.ts';

const atMs = 1_700_000_000_000;
const rawBody = '{"a":"é"}';
const check = (signature: string | undefined, nowMs = atMs, secrets = ['one', 'two']) =>
  checkWebhookSignature({ rawBody, signature, secrets, nowMs, toleranceMs: 300_000 });

it('fits its secret, its body and its time', () => {
  const signature = signWebhook({ rawBody, secret: 'two', atMs });
  expect(check(signature)).toBeUndefined();
  expect(check(signature, atMs, ['one'])).toBe('wrong');
  expect(check(signature.replace(`t=${atMs / 1000}`, `t=${atMs / 1000 + 1}`))).toBe('wrong');
  expect(check(signature.slice(0, -1))).toBe('wrong');
  expect(check(signature, atMs + 300_000)).toBeUndefined();
  expect(check(signature, atMs + 300_001)).toBe('too-old');
  expect(check(signature, atMs - 300_000)).toBeUndefined();
  expect(check(signature, atMs - 300_001)).toBe('from-the-future');
});

it('may hold several signatures, not several times', () => {
  const one = signWebhook({ rawBody, secret: 'other', atMs });
  const two = signWebhook({ rawBody, secret: 'one', atMs });
  expect(check(`${one},${two.split(',')[1]}`)).toBeUndefined();
  expect(check(`t=1,${two}`)).toBe('malformed');
});

it.each([undefined, ''])('%j is unsigned', (signature) => {
  expect(check(signature)).toBe('unsigned');
});

it.each(['v1=00', 't=,v1=00', 't=x,v1=00', 't=-1,v1=00', 't=1e9,v1=00', '==,,=', 't'])(
  '%s has no time',
  (signature) => {
    expect(signedAt(signature)).toBeUndefined();
    expect(check(signature)).toBe('malformed');
  },
);
