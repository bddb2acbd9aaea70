import { expect, it } from 'vitest';
import { nextDueTimes } from './next-due-times.ts';

const at = (text: string): number => Date.parse(text);

it('shows the next five, or as many as are asked for, or as there are', () => {
  const every = { kind: 'every', minutes: 10 } as const;
  const first = at('2026-01-01T00:00:00Z');
  expect(nextDueTimes(every, first).map(({ scheduledForMs }) => (scheduledForMs - first) / 60_000)).toEqual([
    10, 20, 30, 40, 50,
  ]);
  expect(nextDueTimes(every, first, 2)).toHaveLength(2);
  const once = { kind: 'once', at: '2026-01-01T00:00:00Z' } as const;
  expect(nextDueTimes(once, first - 1)).toHaveLength(1);
  expect(nextDueTimes(once, first)).toEqual([]);
});

it('leaves out what a change of clocks leaves out', () => {
  const daily = { kind: 'daily', at: '02:30', zone: 'America/New_York', dst: { gap: 'skip' } } as const;
  const times = nextDueTimes(daily, at('2026-03-07T12:00:00Z'), 1);
  expect(times.map(({ localTime }) => localTime)).toEqual(['2026-03-09T02:30:00']);
});
