/** The only place in Node that touches the real clock, timers, chance and the host's name. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash, randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { performance } from 'node:perf_hooks';
import type { FlowContext, Platform } from '../core/ports.ts';

export const platform: Platform = {
  clock: {
    monotonicMs: () => performance.now(),
    wallMs: () => Date.now(),
    after(delayMs, run, options) {
      const timer = setTimeout(run, delayMs);
      if (options?.background) timer.unref();
      return { cancel: () => clearTimeout(timer) };
    },
  },
  random: {
    fraction: () => Math.random(),
    hex: (bytes) => randomBytes(bytes).toString('hex'),
  },
  processName: `${hostname()}:${process.pid}`,
  createFlowContext<T>(): FlowContext<T> {
    const storage = new AsyncLocalStorage<T>();
    return { run: (value, fn) => storage.run(value, fn), get: () => storage.getStore() };
  },
  sha256: (text) => Promise.resolve(createHash('sha256').update(text).digest('hex')),
};
