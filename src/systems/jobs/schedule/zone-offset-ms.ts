/** What the wall clock of a zone shows, from the engine's own copy of the IANA data. */
import { civilToMs } from './civil-time.ts';

/** Two changes of one zone are never this close, so a look at both ends of such a span sees every change. */
const lookMs = 3 * 86_400_000;
const formats = new Map<string, Intl.DateTimeFormat>();

export function isZone(zone: string): boolean {
  try {
    formatOf(zone);
    return true;
  } catch {
    return false;
  }
}

/** Milliseconds that the wall clock of `zone` is ahead of UTC at this instant. */
export function zoneOffsetMs(zone: string, instantMs: number): number {
  if (zone === 'UTC') return 0;
  const wholeMs = Math.floor(instantMs / 1_000) * 1_000;
  // en-US and h23 make `3/8/2026, 02:30:00`; years before 1 are out of reach of every schedule.
  const [month = 0, day = 0, year = 0, hour = 0, minute = 0, second = 0] = (
    formatOf(zone).format(wholeMs).match(/\d+/g) ?? []
  ).map(Number);
  return civilToMs({ year, month, day, hour, minute, second }) - wholeMs;
}

export interface OffsetChange {
  /** The first instant with the new offset. */
  readonly atMs: number;
  readonly beforeMs: number;
  readonly afterMs: number;
}

/** The first change after `fromMs`, at `untilMs` at the latest. */
export function nextOffsetChange(zone: string, fromMs: number, untilMs: number): OffsetChange | undefined {
  if (zone === 'UTC') return undefined;
  const beforeMs = zoneOffsetMs(zone, fromMs);
  let low = fromMs;
  for (;;) {
    const high = Math.min(low + lookMs, untilMs);
    if (high <= low) return undefined;
    if (zoneOffsetMs(zone, high) !== beforeMs) return narrow(zone, low, high, beforeMs);
    low = high;
  }
}

/** The offset is the old one at `low` and another at `high`; changes happen on whole seconds. */
function narrow(zone: string, low: number, high: number, beforeMs: number): OffsetChange {
  let old = Math.floor(low / 1_000);
  let fresh = Math.ceil(high / 1_000);
  while (fresh - old > 1) {
    const middle = Math.floor((old + fresh) / 2);
    if (zoneOffsetMs(zone, middle * 1_000) === beforeMs) old = middle;
    else fresh = middle;
  }
  return { atMs: fresh * 1_000, beforeMs, afterMs: zoneOffsetMs(zone, fresh * 1_000) };
}

function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      calendar: 'gregory',
      numberingSystem: 'latn',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    formats.set(zone, format);
  }
  return format;
}
