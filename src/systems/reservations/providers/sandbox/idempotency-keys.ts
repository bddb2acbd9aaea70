/**
 * Idempotency keys as the provider keeps them: the first answer under a key is kept for a day and given again; the same
 * key with another request is a mistake; the same key while the first is at work is told to wait.
 */
import type { Clock } from '../../../../core/ports.ts';

export interface IdempotencyKeysOptions {
  readonly clock: Clock;
  /** @default 24 hours, after which the provider forgets */
  readonly keepMs?: number;
  /** Keys of an earlier life. */
  readonly remembered?: readonly (readonly [string, unknown])[];
}

export type KeyVerdict<Answer> =
  | { readonly kind: 'new' }
  | { readonly kind: 'replay'; readonly answer: Answer }
  | { readonly kind: 'mismatch' }
  | { readonly kind: 'in-use' };

export interface IdempotencyKeys<Answer> {
  /** Claims a key, or says why not. */
  begin(key: string, fingerprint: string): KeyVerdict<Answer>;
  /** Keeps the answer. */
  finish(key: string, answer: Answer): void;
  /** Nothing was done: the key is free again. */
  abandon(key: string): void;
  /** What is remembered, to be given to `remembered` of another. */
  list(): readonly (readonly [string, KeptKey<Answer>])[];
}

export interface KeptKey<Answer> {
  readonly fingerprint: string;
  readonly atMs: number;
  answer?: Answer;
}

const dayMs = 24 * 3_600_000;

export function idempotencyKeys<Answer>(options: IdempotencyKeysOptions): IdempotencyKeys<Answer> {
  const { clock, keepMs = dayMs, remembered = [] } = options;
  const entries = new Map(remembered as readonly (readonly [string, KeptKey<Answer>])[]);
  return {
    begin(key, fingerprint) {
      const known = entries.get(key);
      const isKept = known && (known.answer === undefined || clock.wallMs() - known.atMs < keepMs);
      if (!isKept) {
        entries.set(key, { fingerprint, atMs: clock.wallMs() });
        return { kind: 'new' };
      }
      if (known.fingerprint !== fingerprint) return { kind: 'mismatch' };
      return known.answer === undefined ? { kind: 'in-use' } : { kind: 'replay', answer: known.answer };
    },
    finish(key, answer) {
      const entry = entries.get(key);
      if (entry) entry.answer = answer;
    },
    abandon(key) {
      entries.delete(key);
    },
    list: () => [...entries].filter(([, { answer, atMs }]) => answer !== undefined && clock.wallMs() - atMs < keepMs),
  };
}
