import { describe, expect, it } from 'vitest';
import { eventProbe } from './event-probe.ts';

describe('eventProbe', () => {
  it('finds events of the past and of the future, each once', async () => {
    const probe = eventProbe<number>();
    probe.record(1);
    probe.record(2);
    const even = (n: number): boolean => n % 2 === 0;
    expect(await probe.next(even)).toBe(2);
    const future = probe.next(even);
    expect(await probe.next()).toBe(1);
    probe.record(3);
    probe.record(4);
    expect(await future).toBe(4);
    expect(await probe.next()).toBe(3);
    expect(probe.all()).toEqual([1, 2, 3, 4]);
  });

  it('serves those who wait in their order, one event each', async () => {
    const probe = eventProbe<string>();
    const waiting = [probe.next(), probe.next()];
    probe.record('first');
    probe.record('second');
    expect(await Promise.all(waiting)).toEqual(['first', 'second']);
  });

  it('narrows the type by a guard', async () => {
    const probe = eventProbe<string | number>();
    probe.record('text');
    const text: string = await probe.next((event): event is string => typeof event === 'string');
    expect(text).toBe('text');
  });

  it('complains of what should not have been heard, also when it was taken', async () => {
    const probe = eventProbe<{ type: string }>();
    probe.expectNone(({ type }) => type === 'lost');
    probe.record({ type: 'lost' });
    await probe.next();
    expect(() => probe.expectNone(({ type }) => type === 'lost', 'loss')).toThrow(
      'Expected no loss, but heard {"type":"lost"}.',
    );
  });
});
