import { LeaseError } from '../../core/errors.ts';

/** PostgreSQL cuts longer names silently, and then means another column. In UTF-8 bytes. */
const identifierBytesMax = 63;

/** A name as a quoted SQL identifier: whatever it contains, it can only ever be a name. */
export function quoteIdentifier(name: unknown, what: string): string {
  const bytes = typeof name === 'string' ? new TextEncoder().encode(name).length : 0;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: NUL ends a statement's text; the others are mistakes.
  if (typeof name !== 'string' || bytes === 0 || bytes > identifierBytesMax || /[\u0000-\u001f\u007f]/.test(name)) {
    throw new LeaseError(
      `The ${what} ${JSON.stringify(name)?.slice(0, 80)} must be a name of 1 to ${identifierBytesMax} bytes without control characters.`,
      { code: 'invalid-argument' },
    );
  }
  return `"${name.replaceAll('"', '""')}"`;
}
