import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextDueTimes } from './next-due-times.ts';
import { type Occurrence, occurrencesAfter } from './occurrences.ts';
import type { Schedule } from './schedule.ts';

const at = (text: string): number => Date.parse(text);
const hourMs = 3_600_000;

function between(schedule: Schedule, afterMs: number, untilMs: number): Occurrence[] {
  const found: Occurrence[] = [];
  for (const occurrence of occurrencesAfter(schedule, afterMs)) {
    if (occurrence.scheduledForMs > untilMs) break;
    found.push(occurrence);
  }
  return found;
}

const zone = fc.constantFrom('UTC', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Tokyo', 'America/Santiago');
const dst = fc.record(
  {
    gap: fc.constantFrom('skip' as const, 'shift' as const),
    fold: fc.constantFrom('first' as const, 'second' as const, 'both' as const),
  },
  { requiredKeys: [] },
);
const schedules: fc.Arbitrary<Schedule> = fc.oneof(
  fc.record({
    kind: fc.constant('cron' as const),
    cron: fc.constantFrom('*/7 * * * *', '0 2 * * *', '30 1,2 * * *', '*/20 0-3 * * *', '0 */5 * * MON-FRI', '@daily'),
    zone,
    dst,
  }),
  fc
    .record({ kind: fc.constant('daily' as const), hour: fc.nat(23), minute: fc.nat(59), zone, dst })
    .map(({ hour, minute, ...rest }) => ({
      ...rest,
      at: `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`,
    })),
  fc.record({ kind: fc.constant('every' as const), minutes: fc.integer({ min: 1, max: 3_000 }) }),
);
/** Near the changes of 2026, where it matters: March to April and September to November. */
const moment = fc
  .constantFrom('2026-03-08T07:00Z', '2026-11-01T06:00Z', '2026-04-04T15:00Z', '2026-10-03T15:30Z', '2026-09-06T04:00Z')
  .chain((change) => fc.integer({ min: -50 * hourMs, max: 50 * hourMs }).map((ms) => at(change) + ms));

describe('due times', () => {
  it('are the same however the window is cut, and no two share an instant', () => {
    fc.assert(
      fc.property(schedules, moment, fc.array(fc.nat(4 * hourMs), { maxLength: 8 }), (schedule, startMs, steps) => {
        const cuts = [startMs];
        for (const step of steps) cuts.push((cuts.at(-1) ?? 0) + step);
        const endMs = cuts.at(-1) ?? startMs;
        const whole = between(schedule, startMs, endMs);
        const pieces = cuts.slice(1).flatMap((cut, index) => between(schedule, cuts[index] ?? 0, cut));
        expect(pieces).toEqual(whole);
        whole.forEach((occurrence, index) => {
          expect(occurrence.scheduledForMs).toBeGreaterThan(whole[index - 1]?.scheduledForMs ?? startMs);
        });
      }),
      { numRuns: 200 },
    );
  });

  it('fire a daily time once on every day, whatever the clocks do', () => {
    fc.assert(
      fc.property(fc.nat(23), fc.nat(59), zone, moment, (hour, minute, name, startMs) => {
        const text = `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
        const due = nextDueTimes({ kind: 'daily', at: text, zone: name }, startMs, 6);
        const days = due.map(({ localTime }) => at(`${localTime.slice(0, 10)}T00:00Z`) / (24 * hourMs));
        expect(days).toEqual(days.map((_, index) => (days[0] ?? 0) + index));
      }),
      { numRuns: 100 },
    );
  });

  it('say what became of a time that does not exist', () => {
    const day = (policy: 'shift' | 'skip'): Occurrence[] =>
      between(
        { kind: 'daily', at: '02:30', zone: 'America/New_York', dst: { gap: policy } },
        at('2026-03-08T00:00-05:00'),
        at('2026-03-09T00:00-04:00'),
      );
    expect(day('shift')).toEqual([
      {
        scheduledForMs: at('2026-03-08T03:00-04:00'),
        localTime: '2026-03-08T02:30:00',
        kind: 'due',
        reason: 'moved from 2026-03-08T02:30:00, which does not exist: the clocks went from 02:00 to 03:00',
      },
    ]);
    expect(day('skip')).toEqual([
      {
        scheduledForMs: at('2026-03-08T03:00-04:00') + 1,
        localTime: '2026-03-08T02:30:00',
        kind: 'dst-skipped',
        reason: '2026-03-08T02:30:00 does not exist: the clocks went from 02:00 to 03:00',
      },
    ]);
  });

  it('say which of two equal times fires', () => {
    const [first, second] = between(
      { kind: 'daily', at: '01:30', zone: 'America/New_York' },
      at('2026-11-01T00:00-04:00'),
      at('2026-11-02T00:00-05:00'),
    );
    expect(first).toMatchObject({ scheduledForMs: at('2026-11-01T01:30-04:00'), kind: 'due' });
    expect(second).toMatchObject({ scheduledForMs: at('2026-11-01T01:30-05:00'), kind: 'dst-folded' });
    expect(second?.reason).toContain('comes twice');
  });

  it('keep an interval even through both changes when the line runs through all hours', () => {
    for (const day of ['2026-03-08T00:00-05:00', '2026-11-01T00:00-04:00']) {
      const due = nextDueTimes({ kind: 'cron', cron: '*/15 * * * *', zone: 'America/New_York' }, at(day), 60);
      const gaps = due.slice(1).map(({ scheduledForMs }, index) => scheduledForMs - (due[index]?.scheduledForMs ?? 0));
      expect(new Set(gaps)).toEqual(new Set([15 * 60_000]));
    }
  });

  it('speak for all in one row when a second-by-second line loses an hour', () => {
    const lost = between(
      { kind: 'cron', cron: '* * 2 * * *', zone: 'Europe/Berlin', dst: { gap: 'skip' } },
      at('2026-03-29T00:30Z'),
      at('2026-03-29T01:00:01Z'),
    );
    expect(lost).toHaveLength(900);
    expect(lost.at(-1)?.reason).toContain('2700 more');
  });

  it('count intervals from where they are told, and a moment once', () => {
    const every: Schedule = { kind: 'every', minutes: 90, from: '2026-01-01T00:10:00+09:00' };
    expect(nextDueTimes(every, at('2026-01-01T00:00Z'), 2).map(({ localTime }) => localTime)).toEqual([
      '2026-01-01T00:10:00',
      '2026-01-01T01:40:00',
    ]);
    expect(nextDueTimes(every, at('2025-01-01T00:00Z'), 1)[0]?.localTime).toBe('2025-12-31T15:10:00');
    const once: Schedule = { kind: 'once', at: '2026-01-01T00:00:00Z' };
    expect(nextDueTimes(once, at('2025-12-31T23:59:59Z'))).toHaveLength(1);
    expect(nextDueTimes(once, at('2026-01-01T00:00:00Z'))).toEqual([]);
  });

  it('are found soon, also for a line that fires every four years', () => {
    const rare: Schedule = { kind: 'cron', cron: '0 9 29 2 *', zone: 'Europe/Berlin' };
    expect(nextDueTimes(rare, at('2026-01-01T00:00Z'), 3).map(({ localTime }) => localTime)).toEqual([
      '2028-02-29T09:00:00',
      '2032-02-29T09:00:00',
      '2036-02-29T09:00:00',
    ]);
  });
});
