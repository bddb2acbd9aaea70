/** The wall-clock times that a cron line names, in a calendar without clock changes. */
import { Cron } from 'croner';
import { formatCivil } from './civil-time.ts';

export interface WallTimes {
  /** The first one later than this, both as if in UTC; undefined when there is none. */
  after(wallMs: number): number | undefined;
  /** The line names its hours, so that a person expects it at that hour and not at an interval. */
  readonly namesHour: boolean;
}

/** Throws what is wrong with the line. */
export function createWallTimes(line: string): WallTimes {
  // An offset of zero, not the zone UTC: that one is asked of Intl for each step and takes three times as long.
  const cron = new Cron(line, { utcOffset: 0, mode: '5-or-6-parts' });
  const fields = (cron.getPattern() ?? line).trim().split(/\s+/);
  const hours = fields[fields.length - 4] ?? '*';
  return {
    after: (wallMs) => cron.nextRun(formatCivil(wallMs))?.getTime(),
    namesHour: !hours.startsWith('*'),
  };
}
