import type { Actor } from '../../systems/reservations/index.ts';
import type { DaysReply } from '../booking-contract.ts';
import type { BookingServices } from './booking-services.ts';

/** `YYYY-MM-DD` at the place. */
export function dayAt(ms: number, timeZone: string): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(ms);
}

/** That many days later, by the calendar alone: a day is no span of time. */
export function addDays(date: string, days: number): string {
  let [year = 0, month = 1, day = 1] = date.split('-').map(Number);
  day += days;
  for (let length = daysOf(year, month); day > length; length = daysOf(year, month)) {
    day -= length;
    month = (month % 12) + 1;
    if (month === 1) year += 1;
  }
  return [String(year).padStart(4, '0'), String(month).padStart(2, '0'), String(day).padStart(2, '0')].join('-');
}

function daysOf(year: number, month: number): number {
  if (month !== 2) return [4, 6, 9, 11].includes(month) ? 30 : 31;
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
}

export async function listDays(
  { reservations, site }: BookingServices,
  request: { readonly from: string; readonly days: number; readonly actor: Actor; readonly nowMs: number },
): Promise<DaysReply> {
  const { from, days, actor, nowMs } = request;
  const dates = Array.from({ length: days }, (_, index) => addDays(from, index));
  return {
    days: await Promise.all(
      dates.map(async (date) => ({ date, slots: await reservations.listSlots(date, { actor }) })),
    ),
    nowMs,
    name: site.name,
    timeZone: site.timeZone,
    holdMs: site.holdMs,
  };
}
