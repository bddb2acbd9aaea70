/** The only place in a browser that touches the real clock, timers and chance. */
import type { Platform } from '../core/ports.ts';

const hex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

export const platform: Platform = {
  clock: {
    // Counted from one origin, so that a page and its workers can compare their times.
    monotonicMs: () => performance.timeOrigin + performance.now(),
    wallMs: () => Date.now(),
    after(delayMs, run) {
      const timer = setTimeout(run, delayMs);
      return { cancel: () => clearTimeout(timer) };
    },
  },
  random: {
    fraction: () => Math.random(),
    hex: (bytes) => hex(crypto.getRandomValues(new Uint8Array(bytes))),
  },
  processName: 'tab',
  sha256: async (text) => hex(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))),
};
