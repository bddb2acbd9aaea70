/** The slots of a day as the application declares them. Instants are made by the database, which knows the zones. */
import { AppError } from './app-error.ts';

export interface CalendarSlot {
  /** From 1. */
  readonly number: number;
  /** `HH:MM` on the clocks of the calendar's zone. */
  readonly startsAt: string;
  /** From 1 to 1440. */
  readonly lengthMinutes: number;
}

export interface Calendar {
  /** Such as `Asia/Tokyo`. */
  readonly timeZone: string;
  readonly slots: readonly CalendarSlot[];
  /** Days without slots, as `YYYY-MM-DD`. @default none */
  readonly closed?: readonly string[];
}

/** Throws INVALID_ARGUMENT if the declaration contradicts itself. */
export function checkCalendar(calendar: Calendar): Calendar {
  const numbers = new Set<number>();
  for (const { number, startsAt, lengthMinutes } of calendar.slots) {
    if (!Number.isInteger(number) || number < 1 || number > 10_000) {
      throw invalid(`the slot number ${number} must be a whole number from 1 to 10000`);
    }
    if (numbers.has(number)) throw invalid(`the slot number ${number} is used twice`);
    numbers.add(number);
    if (!/^([01]\d|2[0-3]):[0-5]\d$/.test(startsAt)) throw invalid(`slot ${number} starts at "${startsAt}", not HH:MM`);
    if (!Number.isInteger(lengthMinutes) || lengthMinutes < 1 || lengthMinutes > 1440) {
      throw invalid(`slot ${number} lasts ${lengthMinutes} minutes, not 1 to 1440`);
    }
  }
  if (!/^[A-Za-z0-9_+/-]{1,64}$/.test(calendar.timeZone)) throw invalid(`"${calendar.timeZone}" is no time zone`);
  for (const day of calendar.closed ?? []) checkDay(day);
  return calendar;
}

/** `YYYY-MM-DD` that exists. A Date is refused on purpose: at midnight in Tokyo it is still yesterday in UTC. */
export function checkDay(day: unknown): string {
  const match = typeof day === 'string' ? /^(\d{4})-(\d\d)-(\d\d)$/.exec(day) : null;
  const [year = 0, month = 0, date = 0] = match?.slice(1).map(Number) ?? [];
  if (!match || month < 1 || month > 12 || date < 1 || date > daysOf(year, month)) {
    throw new AppError(`The projection date must be a day as YYYY-MM-DD, got ${String(day).slice(0, 40)}.`, {
      code: 'INVALID_ARGUMENT',
    });
  }
  return match[0];
}

/** The slot of that day; undefined: the calendar has none. */
export function findSlot(calendar: Calendar, day: string, slotNumber: number): CalendarSlot | undefined {
  if (calendar.closed?.includes(day)) return undefined;
  return calendar.slots.find(({ number }) => number === slotNumber);
}

function daysOf(year: number, month: number): number {
  if (month !== 2) return [4, 6, 9, 11].includes(month) ? 30 : 31;
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
}

function invalid(what: string): AppError {
  return new AppError(`The calendar is wrong: ${what}.`, { code: 'INVALID_ARGUMENT' });
}
