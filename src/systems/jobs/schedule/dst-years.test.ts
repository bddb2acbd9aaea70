/**
 * Years of due times in five zones (three in the long form, one in the short), against an oracle that knows nothing of the code under test: it walks every
 * minute of those years, asks Intl.DateTimeFormat for the zone's offset in words, keeps which local minutes were seen
 * once, twice or never, and matches cron lines by hand-written predicates.
 */
import { describe, expect, it } from 'vitest';
import { faultRounds, reportFault } from '../../../../test/process/fault-rounds.ts';
import { type Occurrence, occurrencesAfter } from './occurrences.ts';
import type { DstPolicy } from './schedule.ts';

const zones = [
  'America/New_York',
  'Europe/Berlin',
  'Australia/Lord_Howe', // Half an hour.
  'America/Santiago', // At midnight.
  'Africa/Casablanca', // Four changes a year.
];
const fromMs = Date.UTC(2025, 0, 1);
const years = faultRounds('DST_YEARS', 1);
const untilMs = Date.UTC(2025 + years, 0, 1);
const minuteMs = 60_000;

interface Fields {
  readonly minute: number;
  readonly hour: number;
  readonly day: number;
  readonly month: number;
  readonly weekday: number;
}

interface Line {
  readonly cron: string;
  readonly matches: (at: Fields) => boolean;
  readonly dst: Required<DstPolicy>;
}

const lines: readonly Line[] = [
  {
    cron: '30 2 * * *',
    matches: ({ minute, hour }) => minute === 30 && hour === 2,
    dst: { gap: 'shift', fold: 'first' },
  },
  {
    cron: '0 0 * * *',
    matches: ({ minute, hour }) => minute === 0 && hour === 0,
    dst: { gap: 'shift', fold: 'second' },
  },
  {
    cron: '*/10 0-3 * * *',
    matches: ({ minute, hour }) => minute % 10 === 0 && hour <= 3,
    dst: { gap: 'skip', fold: 'both' },
  },
  {
    cron: '5,35 1,2 * 3-5,9-11 SUN',
    matches: ({ minute, hour, month, weekday }) =>
      (minute === 5 || minute === 35) &&
      (hour === 1 || hour === 2) &&
      ((month >= 3 && month <= 5) || (month >= 9 && month <= 11)) &&
      weekday === 0,
    dst: { gap: 'shift', fold: 'first' },
  },
  { cron: '15 * * * *', matches: ({ minute }) => minute === 15, dst: { gap: 'skip', fold: 'both' } },
  {
    cron: '0 2 29 2 *',
    matches: ({ minute, hour, day, month }) => minute === 0 && hour === 2 && day === 29 && month === 2,
    dst: { gap: 'skip', fold: 'first' },
  },
];

/** `01/01/2025, GMT+10:30`: the offset in milliseconds. */
function offsetInWords(format: Intl.DateTimeFormat, instantMs: number): number {
  const [, sign, hours, minutes] = /GMT(?:([+-])(\d{2}):(\d{2}))?$/.exec(format.format(instantMs)) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * minuteMs;
}

interface Walk {
  /** Per line: local minute → its instants. */
  readonly seen: readonly Map<number, number[]>[];
  /** Per line: the local minutes left out, by the instant of the change. */
  readonly missing: readonly Map<number, number[]>[];
  readonly changes: number;
}

const walks = new Map<string, Walk>();

function walkOnce(zone: string): Walk {
  const walked = walks.get(zone) ?? walk(zone);
  walks.set(zone, walked);
  return walked;
}

function walk(zone: string): Walk {
  const format = new Intl.DateTimeFormat('en-GB', { timeZone: zone, timeZoneName: 'longOffset' });
  const seen = lines.map(() => new Map<number, number[]>());
  const missing = lines.map(() => new Map<number, number[]>());
  let changes = 0;
  let before = fromMs - minuteMs + offsetInWords(format, fromMs - minuteMs);
  let offset = 0;
  for (let at = fromMs; at < untilMs; at += minuteMs) {
    // Every change of these zones in these years is on a quarter of an hour.
    if (at % (15 * minuteMs) === 0) offset = offsetInWords(format, at);
    const local = at + offset;
    if (local !== before + minuteMs) changes++;
    for (let gone = before + minuteMs; gone < local; gone += minuteMs) note(missing, gone, at, true);
    note(seen, local, at, false);
    before = local;
  }
  return { seen, missing, changes };
}

function note(maps: readonly Map<number, number[]>[], local: number, at: number, byInstant: boolean): void {
  const date = new Date(local);
  const fields = {
    minute: date.getUTCMinutes(),
    hour: date.getUTCHours(),
    day: date.getUTCDate(),
    month: date.getUTCMonth() + 1,
    weekday: date.getUTCDay(),
  };
  lines.forEach(({ matches }, index) => {
    if (!matches(fields)) return;
    const [key, value] = byInstant ? [at, local] : [local, at];
    const list = maps[index]?.get(key);
    if (list) list.push(value);
    else maps[index]?.set(key, [value]);
  });
}

function expected({ seen, missing }: Walk, index: number, { gap, fold }: Required<DstPolicy>): string[] {
  const rows: [number, string][] = [];
  const taken = new Set<number>();
  const add = (at: number, local: number, kind: Occurrence['kind']): void => {
    rows.push([at, `${at} ${new Date(local).toISOString().slice(0, 19)} ${kind}`]);
  };
  for (const [local, instants] of seen[index] ?? []) {
    instants.forEach((at, nth) => {
      taken.add(at);
      const fires = instants.length === 1 || fold === 'both' || (fold === 'first' ? nth === 0 : nth === 1);
      add(at, local, fires ? 'due' : 'dst-folded');
    });
  }
  for (const [at, locals] of missing[index] ?? []) {
    let filed = 0;
    locals.forEach((local, nth) => {
      if (gap === 'shift' && nth === 0 && !taken.has(at)) add(at, local, 'due');
      else add(at + ++filed, local, 'dst-skipped');
    });
  }
  return rows.sort(([a], [b]) => a - b).map(([, row]) => row);
}

function actual(zone: string, { cron, dst }: Line): string[] {
  const rows: string[] = [];
  for (const { scheduledForMs, localTime, kind } of occurrencesAfter({ kind: 'cron', cron, zone, dst }, fromMs - 1)) {
    if (scheduledForMs >= untilMs) break;
    rows.push(`${scheduledForMs} ${localTime} ${kind}`);
  }
  return rows;
}

describe('due times of whole years', () => {
  it.each(zones)('agree with the oracle in %s', { timeout: 120_000 }, (zone) => {
    const walked = walkOnce(zone);
    expect(walked.changes).toBeGreaterThanOrEqual(2 * years);
    lines.forEach((line, index) => {
      const wanted = expected(walked, index, line.dst);
      expect(actual(zone, line), line.cron).toEqual(wanted);
      if (line.cron === '*/10 0-3 * * *') {
        expect(wanted.filter((row) => row.endsWith('dst-skipped')).length).toBeGreaterThan(0);
      }
    });
    reportFault({ experiment: 'dst-years', zone, years, changes: walked.changes });
  });

  it('would notice a policy that was not kept', () => {
    const walked = walkOnce('Europe/Berlin');
    const [line] = lines;
    expect(line && actual('Europe/Berlin', line)).not.toEqual(expected(walked, 0, { gap: 'skip', fold: 'first' }));
    expect(line && actual('Europe/Berlin', line)).not.toEqual(expected(walked, 0, { gap: 'shift', fold: 'second' }));
  });
});
