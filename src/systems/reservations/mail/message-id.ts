/**
 * A Message-ID that stays the same for one cause. A mail server may take a message and die before it says so; the
 * repeat then has the same id, and servers and mail programs show one message instead of two.
 */
import { createHash } from 'node:crypto';

/** `<kannuki.…@example.org>`. The key is hashed: it may hold characters that an id must not. */
export function messageId(key: string, domain: string): string {
  return `<kannuki.${createHash('sha256').update(key).digest('hex').slice(0, 32)}@${domain}>`;
}
