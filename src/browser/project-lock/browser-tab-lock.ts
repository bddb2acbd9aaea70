import { clock, newUuid } from '../../platform/browser.ts';
import { assembleTabLock } from './assemble-tab-lock.ts';
import { lockError } from './lock-error.ts';
import type { Channel, WebLocks } from './ports.ts';
import { gateName, type TabLock } from './tab-lock.ts';

let made: TabLock | undefined;

/** The lock of this tab over the real browser, made on first use. */
export function browserTabLock(): TabLock {
  made ??= assembleTabLock({
    clock,
    newId: newUuid,
    ownerId: newUuid(),
    locks: browserLocks(),
    channel: browserChannel(),
    // What few pages need is loaded where it is needed.
    rare: () =>
      import('./rare-parts.ts').catch((cause: unknown) => {
        throw lockError('fallback-open-failed', cause);
      }),
    worker: startWorker,
  });
  return made;
}

export function browserLocks(): WebLocks | null {
  return (globalThis.navigator?.locks as unknown as WebLocks | undefined) ?? null;
}

export function browserChannel(): Channel | null {
  return globalThis.BroadcastChannel ? (new BroadcastChannel(gateName) as unknown as Channel) : null;
}

/** Bundlers recognise this form. */
export function startWorker(): Worker {
  return new Worker(new URL('./lock-worker.js', import.meta.url), { type: 'module' });
}
