import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scheduleSave } from './schedule-save.ts';

const intervals = { debounceMs: 500, idleMs: 2000, maxUnsavedMs: 5000 };
const due = (firstChangeMs: number | undefined, lastChangeMs: number, failedMs?: number): number | undefined =>
  scheduleSave({ firstChangeMs, lastChangeMs, failedMs }, intervals);

describe('scheduleSave', () => {
  it('has nothing to do while everything is saved', () => {
    expect(due(undefined, 100)).toBeUndefined();
  });

  it('saves 2 s after the last change', () => {
    expect(due(100, 100)).toBe(2100);
    expect(due(100, 900)).toBe(2900);
  });

  it('saves 5 s after the first change although typing goes on', () => {
    expect(due(100, 4900)).toBe(5100);
  });

  it('does not save inside a burst when the idle time is shorter than it', () => {
    const times = { firstChangeMs: 0, lastChangeMs: 100, failedMs: undefined };
    expect(scheduleSave(times, { ...intervals, idleMs: 0 })).toBe(600);
  });

  it('waits 5 s after a failure', () => {
    expect(due(100, 100, 7000)).toBe(12_000);
  });

  it('is never later than maxUnsavedMs after the first change, and sooner only for a pause', () => {
    const whole = fc.integer({ min: 0, max: 60_000 });
    fc.assert(
      fc.property(whole, whole, whole, whole, whole, (first, typedMs, debounceMs, idleMs, maxUnsavedMs) => {
        const last = first + typedMs;
        const atMs = scheduleSave(
          { firstChangeMs: first, lastChangeMs: last, failedMs: undefined },
          { debounceMs, idleMs, maxUnsavedMs },
        );
        const quietMs = last + Math.max(debounceMs, idleMs);
        expect(atMs).toBeLessThanOrEqual(first + maxUnsavedMs);
        expect([first + maxUnsavedMs, quietMs]).toContain(atMs);
        expect(atMs).toBeLessThanOrEqual(quietMs);
      }),
    );
  });
});
