/** The only place in a browser that touches the real clock, timers and chance. */
import type { Clock, Platform, Random } from '../core/ports.ts';

const hex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

export const clock: Clock = {
  // Counted from one origin, so that a page and its workers can compare their times.
  monotonicMs: () => performance.timeOrigin + performance.now(),
  wallMs: () => Date.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    return { cancel: () => clearTimeout(timer) };
  },
};

/** A fraction in [0, 1). On its own for those who need no more. */
export const fraction = (): number => Math.random();

export const random: Random = {
  fraction,
  hex: (bytes) => hex(crypto.getRandomValues(new Uint8Array(bytes))),
};

/** Only secure contexts can make one. Elsewhere no lock can be had either, and any name will do. */
export const newUuid = (): string => crypto.randomUUID?.() ?? String(Math.random());

export const sha256 = async (text: string): Promise<string> =>
  hex(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))));

export const platform: Platform = { clock, random, processName: 'tab', sha256 };
