import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planNextStep } from './save-schedule.ts';

const intervals = { debounceMs: 500, idleMs: 2000, maxUnsavedMs: 5000 };
const plan = (firstChangeMs: number | undefined, lastChangeMs: number, settled = true, failedMs?: number) =>
  planNextStep({ firstChangeMs, lastChangeMs, failedMs }, intervals, settled);

describe('planNextStep', () => {
  it('does nothing while everything is saved', () => {
    expect(plan(undefined, 100)).toBeUndefined();
  });

  it('settles 500 ms after the last change and saves 2 s after it', () => {
    expect(plan(100, 100, false)).toEqual({ step: 'settle', atMs: 600 });
    expect(plan(100, 100)).toEqual({ step: 'save', atMs: 2100 });
    expect(plan(100, 900)).toEqual({ step: 'save', atMs: 2900 });
  });

  it('saves 5 s after the first change although typing goes on', () => {
    expect(plan(100, 4900, false)).toEqual({ step: 'save', atMs: 5100 });
  });

  it('waits 5 s after a failure', () => {
    expect(plan(100, 100, true, 7000)).toEqual({ step: 'save', atMs: 12_000 });
  });

  it('never saves later than maxUnsavedMs after the first change, nor inside a burst before that', () => {
    const whole = fc.integer({ min: 0, max: 60_000 });
    fc.assert(
      fc.property(
        whole,
        whole,
        whole,
        whole,
        whole,
        fc.boolean(),
        (first, typedMs, debounceMs, idleMs, maxMs, settled) => {
          const last = first + typedMs;
          const next = planNextStep(
            { firstChangeMs: first, lastChangeMs: last, failedMs: undefined },
            { debounceMs, idleMs, maxUnsavedMs: maxMs },
            settled,
          );
          expect(next?.atMs).toBeLessThanOrEqual(first + maxMs);
          if (next?.step === 'save' && next.atMs < first + maxMs) {
            expect(next.atMs).toBe(last + Math.max(idleMs, debounceMs));
          }
        },
      ),
    );
  });
});
