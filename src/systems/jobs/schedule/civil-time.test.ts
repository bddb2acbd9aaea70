import fc from 'fast-check';
import { expect, it } from 'vitest';
import { civilFromMs, civilToMs, formatCivil, parseInstant } from './civil-time.ts';

const instant = fc.integer({ min: Date.UTC(1900, 0, 1) / 1_000, max: Date.UTC(9999, 0, 1) / 1_000 });

it('agrees with Date on every second of the calendar', () => {
  fc.assert(
    fc.property(instant, (seconds) => {
      const ms = seconds * 1_000;
      expect(formatCivil(ms)).toBe(new Date(ms).toISOString().slice(0, 19));
      expect(civilToMs(civilFromMs(ms))).toBe(ms);
    }),
    { numRuns: 1_000 },
  );
});

it('reads instants as Date does, and nothing without an offset', () => {
  for (const text of [
    '2026-03-08T02:30:00Z',
    '2026-03-08T02:30:00.125+09:00',
    '2026-03-08T02:30-03:30',
    '2026-03-08T02:30:15.5Z',
    '2026-03-08T02:30:15+23:59',
  ]) {
    expect(parseInstant(text)).toBe(Date.parse(text));
  }
  for (const text of [
    '2026-03-08',
    '2026-03-08T02:30:00',
    '2026-13-01T00:00Z',
    '2026-04-31T00:00Z',
    '2026-01-01T24:00Z',
    '2026-03-08T02:60Z',
    '2026-03-08T02:30:60Z',
    '2026-03-08T02:30+24:00',
    '2026-03-08T02:30+09:60',
    ' 2026-03-08T02:30Z',
    '2026-03-08T02:30Z ',
    '2026-03-08 02:30Z',
  ])
    expect(parseInstant(text)).toBeUndefined();
});
