/**
 * What every answer says to browsers. A page sets its own policy; an answer of the API is no document at all, so it may
 * load nothing, be framed by nobody and be read by no other site.
 */
import type { Answered } from '../plain-answer.ts';

const always: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'x-frame-options': 'DENY',
};

/** Those that an answer may have set by itself. */
const unlessSet: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
};

/** The answer with these headers, and those of `more` that no answer sets by itself. */
export function addSecurityHeaders(answered: Answered, more: Readonly<Record<string, string>>): Answered {
  if (answered instanceof Response) {
    const { headers } = answered;
    for (const [name, value] of Object.entries({ ...always, ...more })) headers.set(name, value);
    for (const [name, value] of Object.entries(unlessSet)) if (!headers.has(name)) headers.set(name, value);
    return answered;
  }
  const { status, headers, body } = answered;
  return { status, headers: { ...unlessSet, ...headers, ...always, ...more }, body };
}
