import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DueSlot, type DueWindowOptions, decideDueWindow } from './due-window.ts';

const start = Date.UTC(2026, 0, 1);
const minuteMs = 60_000;
const everyMinute = { kind: 'every', minutes: 1 } as const;

function decide(options: Partial<DueWindowOptions> & { readonly nowMs: number }): readonly DueSlot[] {
  return decideDueWindow({ schedule: everyMinute, cursorMs: start, ...options }).slots;
}
const outcomes = (slots: readonly DueSlot[]): string[] => slots.map(({ outcome }) => outcome);

describe('decideDueWindow', () => {
  it('fires what is noticed in time', () => {
    expect(outcomes(decide({ nowMs: start + minuteMs + 4_000 }))).toEqual(['fired']);
    expect(decideDueWindow({ schedule: everyMinute, cursorMs: start, nowMs: start + 1 })).toEqual({
      slots: [],
      cursorMs: start + 1,
      more: false,
    });
  });

  it('catches up the newest only, and says so of the others', () => {
    const slots = decide({ nowMs: start + 3 * minuteMs + 30_000 });
    expect(outcomes(slots)).toEqual(['skipped-late', 'skipped-late', 'caught-up']);
    expect(slots[0]?.reason).toBe('noticed 150 s late; only the newest of the missed due times is caught up');
  });

  it('catches up all, or nothing, or nothing that is too late', () => {
    const nowMs = start + 3 * minuteMs + 30_000;
    expect(outcomes(decide({ nowMs, catchUp: 'all' }))).toEqual(['caught-up', 'caught-up', 'caught-up']);
    expect(outcomes(decide({ nowMs, catchUp: 'none' }))).toEqual(['skipped-late', 'skipped-late', 'skipped-late']);
    expect(outcomes(decide({ nowMs, catchUp: 'all', skipLateAfterMs: 100_000 }))).toEqual([
      'skipped-late',
      'caught-up',
      'caught-up',
    ]);
  });

  it('leaves out what would overlap', () => {
    const nowMs = start + 2 * minuteMs + 1_000;
    expect(outcomes(decide({ nowMs, catchUp: 'all', forbidOverlap: { busy: true } }))).toEqual([
      'skipped-overlap',
      'skipped-overlap',
    ]);
    expect(outcomes(decide({ nowMs, catchUp: 'all', forbidOverlap: { busy: false } }))).toEqual([
      'caught-up',
      'skipped-overlap',
    ]);
  });

  it('decides the same in small windows as in one', () => {
    const policy = fc.record({
      catchUp: fc.constantFrom('all' as const, 'newest' as const, 'none' as const),
      skipLateAfterMs: fc.constantFrom(Infinity, 10 * minuteMs),
      limit: fc.integer({ min: 1, max: 7 }),
      agoMs: fc.nat(20 * minuteMs),
    });
    fc.assert(
      fc.property(policy, ({ catchUp, skipLateAfterMs, limit, agoMs }) => {
        const options = { schedule: everyMinute, nowMs: start + agoMs, catchUp, skipLateAfterMs };
        const whole = decideDueWindow({ ...options, cursorMs: start });
        const pieces: DueSlot[] = [];
        let window = decideDueWindow({ ...options, cursorMs: start, limit });
        pieces.push(...window.slots);
        while (window.more) {
          window = decideDueWindow({ ...options, cursorMs: window.cursorMs, limit });
          pieces.push(...window.slots);
        }
        expect(pieces).toEqual(whole.slots);
        expect(window.cursorMs).toBe(whole.cursorMs);
        if (catchUp === 'newest')
          expect(outcomes(pieces).filter((outcome) => outcome === 'caught-up').length).toBeLessThan(2);
      }),
    );
  });

  it('hands on what a change of clocks left out', () => {
    const slots = decide({
      schedule: { kind: 'daily', at: '02:30', zone: 'Europe/Berlin', dst: { gap: 'skip' } },
      cursorMs: Date.UTC(2026, 2, 28, 12),
      nowMs: Date.UTC(2026, 2, 29, 12),
    });
    expect(outcomes(slots)).toEqual(['dst-skipped']);
  });
});
