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

  it('knows how long months are, and which years leap', () => {
    const lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    for (const [i, length] of lengths.entries()) {
      const month = `2027-${String(i + 1).padStart(2, '0')}`;
      for (const date of ['01', String(length)]) expect(checkDay(`${month}-${date}`)).toBe(`${month}-${date}`);
      for (const date of ['00', String(length + 1)]) expect(() => checkDay(`${month}-${date}`)).toThrow();
    }
    for (const year of [2000, 2024, 2400]) expect(checkDay(`${year}-02-29`)).toBe(`${year}-02-29`);
    for (const year of [1900, 2100, 2023]) expect(() => checkDay(`${year}-02-29`)).toThrow();
  });

  it.each(['2027-00-10', '2027-03-01T00:00', ' 2027-03-01', '12027-03-01', ['2027-03-01'], 20270301])(
    'refuses %j as a day',
    (day) => {
      expect(() => checkDay(day)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
    },
  );

  it('is open every day unless it says otherwise', () => {
    const { closed: _closed, ...open } = calendar;
    expect(checkCalendar(open)).toBe(open);
    expect(findSlot(open, '2027-03-02', 1)).toBeDefined();
  });

  it('takes the bounds themselves', () => {
    const slot = { number: 10_000, startsAt: '23:59', lengthMinutes: 1440 };
    const slots = [slot, { number: 1, startsAt: '00:00', lengthMinutes: 1 }, { ...slot, number: 2, startsAt: '19:30' }];
    expect(checkCalendar({ ...calendar, slots })).toMatchObject({ slots });
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
    { slots: [{ number: 10_001, startsAt: '21:00', lengthMinutes: 30 }] },
    { slots: [{ number: 1.5, startsAt: '21:00', lengthMinutes: 30 }] },
    { slots: [{ number: 1, startsAt: '21:00:00', lengthMinutes: 30 }] },
    { slots: [{ number: 1, startsAt: ' 21:00', lengthMinutes: 30 }] },
    { slots: [{ number: 1, startsAt: '1x:00', lengthMinutes: 30 }] },
    { slots: [{ number: 1, startsAt: '21:00', lengthMinutes: 0 }] },
    { slots: [{ number: 1, startsAt: '21:00', lengthMinutes: 1441 }] },
    { slots: [{ number: 1, startsAt: '21:00', lengthMinutes: 1.5 }] },
    { timeZone: "Asia/Tokyo'; drop" },
    { closed: ['yesterday'] },
  ])('refuses %j', (wrong) => {
    expect(checkCalendar(calendar)).toBe(calendar);
    const refused = expect.objectContaining({ code: 'INVALID_ARGUMENT' });
    expect(() => checkCalendar({ ...calendar, ...wrong })).toThrow(refused);
  });
});
