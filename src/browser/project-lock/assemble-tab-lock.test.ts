import { expect, it } from 'vitest';
import { fakeClock, mockNavigatorLocks } from '../../testing/index.ts';
import { acquireLock } from './acquire-lock.ts';
import { assembleTabLock } from './assemble-tab-lock.ts';
import { lockError } from './lock-error.ts';
import { gateName } from './tab-lock.ts';

it('what is needed now cannot be loaded: read-only, and the gate goes to the next', async () => {
  const locks = mockNavigatorLocks();
  const tab = assembleTabLock({
    clock: fakeClock(),
    newId: () => 'id',
    ownerId: 'tab',
    locks,
    channel: null,
    rare: () => Promise.reject(lockError('fallback-open-failed', new TypeError('offline'))),
    startWorker: () => undefined,
  });
  const codes: string[] = [];
  tab.subscribeLockEvents((event) => {
    if (event.type === 'lock:error') codes.push(event.error.code);
  });
  await expect(acquireLock(tab, {})).rejects.toMatchObject({ code: 'fallback-open-failed' });
  expect(codes).toEqual(['fallback-open-failed']);
  expect(tab.snapshot()).toMatchObject({ state: 'readonly', readonly: { reason: 'fallback-open-failed' } });
  await expect(locks.request(gateName, { ifAvailable: true }, (lock) => !!lock)).resolves.toBe(true);
});
