/** The only place in Node that touches the real clock, timers, chance and the host's name. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash, randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { performance } from 'node:perf_hooks';
import type { FlowContext, Platform } from '../core/ports.ts';
import { nodeConnections } from './node-connections.ts';

/** Names of requests and grants are short and many: their bytes are drawn in advance. Secrets are longer, and are not. */
const idBytesMax = 16;
let drawn = Buffer.alloc(0);
let taken = 0;

function takeBytes(count: number): Buffer {
  if (taken + count > drawn.length) {
    drawn = randomBytes(4_096);
    taken = 0;
  }
  taken += count;
  return drawn.subarray(taken - count, taken);
}

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
    hex: (bytes) => (bytes <= idBytesMax ? takeBytes(bytes) : randomBytes(bytes)).toString('hex'),
  },
  processName: `${hostname()}:${process.pid}`,
  createFlowContext<T>(): FlowContext<T> {
    const storage = new AsyncLocalStorage<T>();
    return { run: (value, fn) => storage.run(value, fn), get: () => storage.getStore() };
  },
  openConnections: nodeConnections,
  sha256: (text) => Promise.resolve(createHash('sha256').update(text).digest('hex')),
};
