import { createHash } from 'node:crypto';
import { checkKey } from '../../core/lease-arguments.ts';
import { escapeText, unescapeText } from './escape-text.ts';

/** A name longer than this is hashed: with its suffixes it must fit into 255 bytes, and into 143 on some systems. */
const nameMax = 100;

/**
 * The file name of a key or resource: lower-case letters, digits, `_` and `-` stand for themselves, every other
 * byte is `%xx`. Capital letters are escaped too, because `A` and `a` are one name on many file systems. A name that
 * would be too long is `~` and its SHA-256; then the key itself is the content of the state file.
 */
export function toKeyName(key: string, what?: string): string {
  checkKey(key, what);
  const name = escapeKey(key);
  return name.length > nameMax ? `~${createHash('sha256').update(key).digest('hex')}` : name;
}

/** The key of a name; undefined: it was hashed, or the name is not ours. */
export function fromKeyName(name: string): string | undefined {
  const key = unescapeText(name);
  return key !== undefined && escapeKey(key) === name ? key : undefined;
}

export function isHashedName(name: string): boolean {
  return /^~[0-9a-f]{64}$/.test(name);
}

function escapeKey(key: string): string {
  const name = escapeText(key, /[^a-z0-9_-]/gu);
  return isDevice.test(name) ? escapeText(name, /^./u) : name;
}

/** Windows takes these for devices, whatever the extension. */
const isDevice = /^(?:aux|com[0-9]|con|lpt[0-9]|nul|prn)$/;
