import { describe, expect, it } from 'vitest';
import { checkCalendar, checkDay, findSlot } from './calendar.ts';

const calendar = {
  timeZone: 'Asia/Tokyo',
  slots: [{ number: 1, startsAt: '21:00', lengthMinutes: 30 }],
  closed: ['2027-03-02'],
};

describe('the calendar', () => {
  it('takes days that exist, as YYYY-MM-DD', () => {
    expect(checkDay('2028-02-29')).toBe('2028-02-29');
    for (const day of ['2027-02-29', '2027-13-01', '2027-04-31', '27-03-01', '2027-3-1', '', new Date(0), null]) {
      expect(() => checkDay(day), String(day)).toThrow(/YYYY-MM-DD/);
    }
  });

  it('knows its slots, and none on closed days', () => {
    expect(findSlot(calendar, '2027-03-01', 1)).toMatchObject({ startsAt: '21:00' });
    expect(findSlot(calendar, '2027-03-01', 2)).toBeUndefined();
    expect(findSlot(calendar, '2027-03-02', 1)).toBeUndefined();
  });

  it.each([
    { slots: [{ number: 0, startsAt: '21:00', lengthMinutes: 30 }] },
    { slots: [...calendar.slots, ...calendar.slots] },
    { slots: [{ number: 1, startsAt: '24:00', lengthMinutes: 30 }] },
    { slots: [{ number: 1, startsAt: '21:00', lengthMinutes: 0 }] },
    { timeZone: "Asia/Tokyo'; drop" },
    { closed: ['yesterday'] },
  ])('refuses %j', (wrong) => {
    expect(checkCalendar(calendar)).toBe(calendar);
    expect(() => checkCalendar({ ...calendar, ...wrong })).toThrow();
  });
});
