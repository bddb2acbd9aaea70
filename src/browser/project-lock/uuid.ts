import type { Random } from '../../core/ports.ts';

/** A random UUID of version 4. `crypto.randomUUID` is ambient chance. */
export function uuid(random: Random): string {
  return random.hex(16).replace(/^(.{8})(.{4}).(.{3}).(.{3})/, '$1-$2-4$3-a$4-');
}
