import { describe, expect, it } from 'vitest';
import { addDays, dayAt } from './list-days.ts';

describe('days', () => {
  it.each([
    ['2026-11-18', 0, '2026-11-18'],
    ['2026-11-30', 1, '2026-12-01'],
    ['2026-12-31', 1, '2027-01-01'],
    ['2028-02-28', 1, '2028-02-29'],
    ['2027-02-28', 1, '2027-03-01'],
    ['2100-02-28', 1, '2100-03-01'],
    ['2026-01-15', 366, '2027-01-16'],
  ])('%s and %i days more is %s', (date, days, later) => {
    expect(addDays(date, days)).toBe(later);
  });

  it('is tomorrow in Tokyo while it is today in London', () => {
    const at = 1_795_100_400_000; // 2026-11-19T15:00:00Z
    expect(dayAt(at, 'Asia/Tokyo')).toBe('2026-11-20');
    expect(dayAt(at, 'Europe/London')).toBe('2026-11-19');
  });
});
