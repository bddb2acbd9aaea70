import { expect, it } from 'vitest';
import { fakeClock, type MockNavigatorLocks, mockNavigatorLocks } from '../../testing/index.ts';
import { acquireLock } from './acquire-lock.ts';
import { assembleTabLock } from './assemble-tab-lock.ts';
import type { Held } from './holding.ts';
import { lockError } from './lock-error.ts';
import { emptyRecord } from './lock-record.ts';
import { releaseLock } from './release-lock.ts';
import { gateName, type TabLock } from './tab-lock.ts';
import type { WorkerCall } from './worker-keeper.ts';

/** A worker that grants everything and cannot write any tombstone. */
function stubbornWorker(): Worker {
  const answers = {
    acquire: [{ ...emptyRecord, leaseId: 'id', ownerId: 'tab', strategy: 'web-lock', ttlMs: 25_000, expiresAt: 1e15 }],
    release: [undefined, 'fallback-write-failed'],
  };
  const worker = {
    onmessage: null as ((event: { readonly data: unknown }) => void) | null,
    postMessage([id, name]: WorkerCall) {
      queueMicrotask(() => worker.onmessage?.({ data: [id, answers[name as keyof typeof answers]] }));
    },
    terminate() {},
  };
  queueMicrotask(() => worker.onmessage?.({ data: [] }));
  return worker as unknown as Worker;
}

/** … and whose heartbeat fails as often as it may, as soon as there is one. */
function failingWorker(): Worker {
  const worker = stubbornWorker();
  const answer = worker.postMessage.bind(worker) as (call: WorkerCall) => void;
  worker.postMessage = (([id, name, args]: WorkerCall) => {
    answer([id, name, args]);
    if (name !== 'beat' || !args[0]) return;
    for (const attempt of [1, 2, 3]) {
      const told = ['id', attempt, 0, 0];
      for (const report of [told, [...told, [undefined, 'fallback-write-failed']]])
        setTimeout(() => worker.onmessage?.({ data: [0, report] } as MessageEvent));
    }
  }) as Worker['postMessage'];
  return worker;
}

/** A tab that can load nothing any more: offline, or after a deploy. */
function tabOffline(locks: MockNavigatorLocks, startWorker: () => Worker | undefined): TabLock {
  return assembleTabLock({
    clock: fakeClock(),
    newId: () => 'id',
    ownerId: 'tab',
    locks,
    channel: null,
    rare: () => Promise.reject(lockError('fallback-open-failed', new TypeError('offline'))),
    worker: startWorker,
  });
}

it('what is needed now cannot be loaded: read-only, and the gate goes to the next', async () => {
  const locks = mockNavigatorLocks();
  const tab = tabOffline(locks, () => undefined);
  const codes: string[] = [];
  tab.subscribeLockEvents((event) => {
    if (event.type === 'lock:error') codes.push(event.error.code);
  });
  await expect(acquireLock(tab, {})).rejects.toMatchObject({ code: 'fallback-open-failed' });
  expect(codes).toEqual(['fallback-open-failed']);
  expect(tab.snapshot()).toMatchObject({ state: 'readonly', readonly: { reason: 'fallback-open-failed' } });
  expect(locks.heldNames()).toEqual([]);
});

it('the gate is another’s, and waiting cannot be loaded: read-only, and nobody stands in line', async () => {
  const locks = mockNavigatorLocks();
  void locks.request(gateName, {}, () => new Promise(() => {}));
  const tab = tabOffline(locks, stubbornWorker);
  await expect(acquireLock(tab, {})).rejects.toMatchObject({ code: 'fallback-open-failed' });
  expect(tab.snapshot()).toMatchObject({ state: 'readonly' });
  expect((await locks.query()).pending).toEqual([]);
});

it('acquires without loading anything; a failed release that cannot be repeated lets the gate go', async () => {
  const locks = mockNavigatorLocks();
  const tab = tabOffline(locks, stubbornWorker);
  const { lease } = await acquireLock(tab, {});
  expect(tab.isHeld(lease)).toBe(true);
  await expect(releaseLock(tab, { lease })).rejects.toMatchObject({ code: 'fallback-open-failed' });
  expect(tab.snapshot()).toMatchObject({ state: 'readonly', readonly: { reason: 'release-failed' } });
  // Again is harmless, and needs nothing.
  await releaseLock(tab, { lease });
  expect(locks.heldNames()).toEqual([]);
});

it('a heartbeat that fails, and cannot be judged by a look: the third attempt ends it', async () => {
  const locks = mockNavigatorLocks();
  const tab = tabOffline(locks, failingWorker);
  const { lease } = await acquireLock(tab, {});
  const { signal } = (tab.held() as Held).abort;
  await new Promise((aborted) => signal.addEventListener('abort', aborted));
  expect(tab.isHeld(lease)).toBe(false);
  expect(tab.snapshot()).toMatchObject({ state: 'readonly', readonly: { reason: 'renew-failed' } });
  await expect.poll(() => locks.heldNames()).toEqual([]);
});
