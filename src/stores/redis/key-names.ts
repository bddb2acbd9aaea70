/**
 * Names of keys and channels. Braces make the part that a cluster hashes, so everything of one lease lives in one
 * slot. A brace at the start of a key would make that part empty, so "}" is written as %7D, and "%" as %25.
 */
import { LeaseError } from '../../core/errors.ts';

export interface KeyNames {
  /** The record of a lease. */
  lease(key: string): string;
  /** The key of a lease, from the name of its record. */
  keyOf(name: string): string;
  /** Why leases of this key were broken. */
  reasons(key: string): string;
  fence(resource: string): string;
  /** Where notices for a process are published. */
  channel(process: string): string;
  /** A SCAN pattern for the records of all keys that begin so. */
  pattern(keyPrefix: string): string;
}

export function keyNames(prefix: string): KeyNames {
  if (!/^[A-Za-z0-9:_.-]{1,64}$/.test(prefix)) {
    throw new LeaseError(
      `The prefix ${JSON.stringify(prefix)} must be 1 to 64 letters, digits, ":", "_", "." or "-": it begins the name of every key and channel.`,
      { code: 'invalid-argument' },
    );
  }
  const start = `${prefix}:{`;
  return {
    lease: (key) => `${start}${encodeName(key)}}`,
    keyOf: (name) => decodeName(name.slice(start.length, -1)),
    reasons: (key) => `${start}${encodeName(key)}}:broken`,
    fence: (resource) => `${prefix}:fence:{${encodeName(resource)}}`,
    channel: (process) => `${prefix}:${process}`,
    pattern: (keyPrefix) => `${start}${encodeName(keyPrefix).replace(/[\\*?[\]]/g, '\\$&')}*}`,
  };
}

function encodeName(text: string): string {
  if (!text.includes('%') && !text.includes('}')) return text;
  return text.replaceAll('%', '%25').replaceAll('}', '%7D');
}

function decodeName(text: string): string {
  return text.replaceAll('%7D', '}').replaceAll('%25', '%');
}
