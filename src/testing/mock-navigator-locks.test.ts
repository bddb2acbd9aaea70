import { describe, expect, it } from 'vitest';
import { mockNavigatorLocks } from './mock-navigator-locks.ts';

/** Holds a lock until `letGo`. */
const holdUntil = (): { readonly work: () => Promise<void>; readonly letGo: () => void } => {
  let letGo = (): void => {};
  const until = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  return { work: () => until, letGo: () => letGo() };
};

describe('mockNavigatorLocks without a plan', () => {
  it('grants in the order of asking, one at a time', async () => {
    const locks = mockNavigatorLocks();
    const first = holdUntil();
    const order: string[] = [];
    const all = [
      locks.request('gate', {}, first.work).then(() => order.push('first')),
      locks.request('gate', {}, () => order.push('second')),
      locks.request('gate', {}, () => order.push('third')),
    ];
    await locks.request('other', {}, () => {
      expect(locks.heldNames()).toEqual(['gate', 'other']);
    });
    expect(order).toEqual([]);
    expect((await locks.query()).pending).toHaveLength(2);
    first.letGo();
    await Promise.all(all);
    expect(order.indexOf('second')).toBeLessThan(order.indexOf('third'));
    expect(locks.heldNames()).toEqual([]);
  });

  it('gives null to ifAvailable, and takes the lock away by steal', async () => {
    const locks = mockNavigatorLocks();
    const held = locks.request('gate', {}, holdUntil().work);
    expect(await locks.request('gate', { ifAvailable: true }, (lock) => lock)).toBeNull();
    const stolen = expect(held).rejects.toMatchObject({ name: 'AbortError' });
    expect(await locks.request('gate', { steal: true }, (lock) => lock)).not.toBeNull();
    await stolen;
  });

  it('lets a waiter leave by its signal, and the next one in', async () => {
    const locks = mockNavigatorLocks();
    const first = holdUntil();
    const held = locks.request('gate', {}, first.work);
    const leaver = new AbortController();
    const left = expect(locks.request('gate', { signal: leaver.signal }, () => 1)).rejects.toBe('enough');
    const next = locks.request('gate', {}, () => 2);
    await Promise.resolve();
    leaver.abort('enough');
    await left;
    first.letGo();
    await held;
    expect(await next).toBe(2);
  });
});

describe('mockNavigatorLocks with a plan', () => {
  it('answers grant, reject, abort and never in order', async () => {
    const locks = mockNavigatorLocks();
    locks.plan('grant', { reject: 'NotSupportedError' }, 'abort', 'never');
    expect(await locks.request('gate', {}, () => 'in')).toBe('in');
    const refused = await locks.request('gate', {}, () => 'in').catch((error: unknown) => error);
    expect(refused).toMatchObject({ name: 'NotSupportedError' });
    expect(refused).toBeInstanceOf(DOMException);
    await expect(locks.request('gate', {}, () => 'in')).rejects.toMatchObject({ name: 'AbortError' });
    const stop = new AbortController();
    const never = locks.request('gate', { signal: stop.signal }, () => 'in');
    stop.abort('late');
    await expect(never).rejects.toBe('late');
    expect(locks.requests().map(({ outcome }) => outcome)).toEqual([
      'grant',
      { reject: 'NotSupportedError' },
      'abort',
      'never',
    ]);
  });

  it('a look finds it taken, and leaves never to the one who waits', async () => {
    const locks = mockNavigatorLocks();
    locks.plan('never');
    expect(await locks.request('gate', { ifAvailable: true }, (lock) => lock)).toBeNull();
    const stop = new AbortController();
    const never = locks.request('gate', { signal: stop.signal }, () => 'in');
    stop.abort('late');
    await expect(never).rejects.toBe('late');
  });

  it('keeps the plan of one name from the others', async () => {
    const locks = mockNavigatorLocks();
    locks.planFor('gate', 'abort');
    expect(await locks.request('presence', {}, () => 1)).toBe(1);
    await expect(locks.request('gate', {}, () => 1)).rejects.toMatchObject({ name: 'AbortError' });
  });
});
