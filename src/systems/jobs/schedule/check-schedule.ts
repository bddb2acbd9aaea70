/** What a person wrote, checked before it is kept: a schedule that never fires is refused with the reason. */
import { parseInstant } from './civil-time.ts';
import type { Schedule } from './schedule.ts';
import { createWallTimes } from './wall-times.ts';
import { isZone } from './zone-offset-ms.ts';

export type ScheduleCheck =
  | { readonly valid: true }
  /** The field that is wrong and one sentence that says why. */
  | { readonly valid: false; readonly field: string; readonly problem: string };

export const scheduleLimits = {
  /** Longer lines are a mistake, and each of their lists costs time at every look. */
  cronCharsMax: 256,
  /** A year. What is rarer has a date, and cron can name dates. */
  everyMinutesMax: 525_600,
} as const;

export const dailyAtPattern = /^([01]\d|2[0-3]):([0-5]\d)$/;

/** Any time will do to ask whether a line ever fires; cron lines have no year. */
const someWallMs = 1_767_225_600_000;

export function checkSchedule(schedule: Schedule): ScheduleCheck {
  switch (schedule.kind) {
    case 'cron':
      return checkZone(schedule.zone) ?? checkCron(schedule.cron) ?? { valid: true };
    case 'daily':
      return (
        checkZone(schedule.zone) ??
        (dailyAtPattern.test(schedule.at)
          ? { valid: true }
          : wrong('at', `"${schedule.at}" is no time of day; write HH:mm, from 00:00 to 23:59.`))
      );
    case 'every':
      return checkEvery(schedule.minutes, schedule.from);
    case 'once':
      return checkInstant('at', schedule.at) ?? { valid: true };
    default:
      return wrong('kind', `A schedule is of kind cron, daily, every or once, not "${kindOf(schedule)}".`);
  }
}

function checkCron(line: string): ScheduleCheck | undefined {
  const { cronCharsMax } = scheduleLimits;
  if (line.length > cronCharsMax)
    return wrong('cron', `The cron line has ${line.length} characters, more than ${cronCharsMax}.`);
  try {
    if (createWallTimes(line).after(someWallMs) !== undefined) return undefined;
    return wrong('cron', `The cron line "${line}" never fires: no date fits all of its fields.`);
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^CronPattern: /, '') : String(error);
    return wrong('cron', `The cron line "${line}" cannot be read: ${why}`);
  }
}

function checkEvery(minutes: number, from: string | undefined): ScheduleCheck {
  const max = scheduleLimits.everyMinutesMax;
  if (!Number.isInteger(minutes) || minutes < 1 || minutes > max)
    return wrong('minutes', `The interval is ${minutes}; it must be a whole number of minutes from 1 to ${max}.`);
  return (from === undefined ? undefined : checkInstant('from', from)) ?? { valid: true };
}

function checkZone(zone: string | undefined): ScheduleCheck | undefined {
  if (zone === undefined || isZone(zone)) return undefined;
  return wrong('zone', `"${zone}" is no time zone that this machine knows; write one like Europe/Berlin or UTC.`);
}

function checkInstant(field: string, text: string): ScheduleCheck | undefined {
  if (parseInstant(text) !== undefined) return undefined;
  return wrong(field, `"${text}" is no instant; write one like 2026-12-01T09:00:00Z or with an offset like +09:00.`);
}

function wrong(field: string, problem: string): ScheduleCheck {
  return { valid: false, field, problem };
}

/** From JavaScript or JSON anything may come. */
function kindOf(schedule: unknown): string {
  return typeof schedule === 'object' && schedule !== null && 'kind' in schedule ? String(schedule.kind) : 'none';
}
