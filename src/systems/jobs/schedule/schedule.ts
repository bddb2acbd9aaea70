/**
 * When a job is due, as plain data that can be stored as JSON.
 *
 * What happens when clocks change is said per schedule. A local time inside the hour that is left out (the gap) has no
 * instant: `skip` leaves it out with a row that says so, `shift` fires it once at the end of the gap. A local time
 * inside the hour that comes twice (the fold) has two instants: `first`, `second` or `both` of them fire, and one that
 * does not leaves a row, too.
 */
export interface DstPolicy {
  /** @default 'shift' for a schedule that names its hour, 'skip' for one that runs through all hours */
  readonly gap?: 'shift' | 'skip';
  /** @default 'first' for a schedule that names its hour, 'both' for one that runs through all hours */
  readonly fold?: 'both' | 'first' | 'second';
}

export interface CronSchedule {
  readonly kind: 'cron';
  /** Five fields, or six with seconds first; names of months and days, `L`, `#` and nicknames like `@daily` work. */
  readonly cron: string;
  /** A zone of the IANA list, like `Asia/Tokyo`. @default 'UTC' */
  readonly zone?: string;
  readonly dst?: DstPolicy;
}

export interface DailySchedule {
  readonly kind: 'daily';
  /** Local time, `HH:mm` from 00:00 to 23:59. */
  readonly at: string;
  /** @default 'UTC' */
  readonly zone?: string;
  readonly dst?: DstPolicy;
}

export interface EverySchedule {
  readonly kind: 'every';
  /** Whole minutes between two due times, 1 to 525,600 (a year). No zone: an interval knows no clock changes. */
  readonly minutes: number;
  /** An instant the due times are counted from, ISO 8601 with `Z` or an offset. @default 1970-01-01T00:00Z */
  readonly from?: string;
}

export interface OnceSchedule {
  readonly kind: 'once';
  /** The instant, ISO 8601 with `Z` or an offset. */
  readonly at: string;
}

export type Schedule = CronSchedule | DailySchedule | EverySchedule | OnceSchedule;
