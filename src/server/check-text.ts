/**
 * No database of ours keeps the character U+0000, and half a surrogate pair would be stored as something else. Both are
 * refused at the entrance, wherever in a request they stand.
 */
import { ProblemError } from './problem.ts';

/** Of a body: `text` as it came, `value` as it was read. Looks closer only where the text gives reason to. */
export function checkText(text: string, value: unknown): void {
  if (/\\u(0000|d[89a-f])/i.test(text) && !isKept(value)) throw badText();
}

/** Of an address, before it is decoded. */
export function checkAddress(url: string): void {
  if (url.includes('%00')) throw badText();
}

function isKept(value: unknown): boolean {
  if (typeof value === 'string') return !/\0|\p{Surrogate}/u.test(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([name, one]) => isKept(name) && isKept(one));
}

function badText(): ProblemError {
  return new ProblemError({
    status: 400,
    code: 'invalid-argument',
    detail: 'Text may contain neither the character U+0000 nor half of a surrogate pair.',
  });
}
