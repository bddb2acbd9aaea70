/**
 * The due times of a schedule, in the order of their instants.
 *
 * Time is cut at the changes of the zone's offset. Inside a piece the wall clock runs evenly, so an instant is the wall
 * time minus the offset. At a change forward, the wall times left out have no instant: they are filed at the change
 * itself, in the milliseconds after it, where nothing else can be (cron counts in seconds). At a change back, the wall
 * times of the fold lie in both pieces, each with an instant of its own.
 *
 * So every due time has one instant, no two the same, and a window of instants holds the same due times however it is
 * cut: the cursor of a definition is one number.
 */

import { dailyAtPattern } from './check-schedule.ts';
import { civilToMs, formatCivil, parseInstant } from './civil-time.ts';
import type { CronSchedule, DailySchedule, DstPolicy, EverySchedule, Schedule } from './schedule.ts';
import { createWallTimes, type WallTimes } from './wall-times.ts';
import { nextOffsetChange, type OffsetChange, zoneOffsetMs } from './zone-offset-ms.ts';

export interface Occurrence {
  /** The instant, in milliseconds since 1970; also the key of its row. */
  readonly scheduledForMs: number;
  /** What the wall clock of the zone shows, or would show: `2026-03-08T02:30:00`. */
  readonly localTime: string;
  /** `due`, or left out because of a change of clocks. */
  readonly kind: 'due' | 'dst-folded' | 'dst-skipped';
  /** Set when a change of clocks had a say. */
  readonly reason?: string;
}

/** Past this nobody plans, and the calendar arithmetic of the engine ends. */
export const lastInstantMs = civilToMs({ year: 9999, month: 12, day: 31, hour: 0, minute: 0, second: 0 });

/** Milliseconds after a change in which left-out times are filed; of more than this many the last row speaks for all. */
const filedMax = 900;

/** Every due time later than `afterMs`, lazily; ends only when the schedule does. The schedule has been checked. */
export function* occurrencesAfter(schedule: Schedule, afterMs: number): Generator<Occurrence, void, undefined> {
  switch (schedule.kind) {
    case 'once': {
      const atMs = parseInstant(schedule.at);
      if (atMs !== undefined && atMs > afterMs) yield dueAt(atMs, atMs);
      return;
    }
    case 'every':
      yield* intervalsAfter(schedule, afterMs);
      return;
    case 'daily':
    case 'cron':
      yield* wallOccurrencesAfter(schedule, afterMs);
  }
}

function* intervalsAfter({ minutes, from }: EverySchedule, afterMs: number): Generator<Occurrence, void, undefined> {
  const stepMs = minutes * 60_000;
  const startMs = from === undefined ? 0 : (parseInstant(from) ?? 0);
  let steps = Math.max(0, Math.floor((afterMs - startMs) / stepMs) + 1);
  for (; startMs + steps * stepMs <= lastInstantMs; steps++) {
    const atMs = startMs + steps * stepMs;
    yield dueAt(atMs, atMs);
  }
}

function* wallOccurrencesAfter(
  schedule: CronSchedule | DailySchedule,
  afterMs: number,
): Generator<Occurrence, void, undefined> {
  const walls = createWallTimes(schedule.kind === 'cron' ? schedule.cron : dailyLine(schedule.at));
  const policy = policyOf(schedule.dst, walls.namesHour);
  const zone = schedule.zone ?? 'UTC';
  // The change before `afterMs` may still have due times to give: its fold, and the rows filed after it.
  let fromMs = afterMs - foldMsMax;
  let change: OffsetChange | undefined;
  for (;;) {
    const piece = pieceAfter(zone, walls, fromMs, Math.max(fromMs, afterMs), change);
    if (!piece) return;
    for (const occurrence of pieceOccurrences(walls, policy, piece, afterMs)) {
      if (occurrence.scheduledForMs > afterMs) yield occurrence;
    }
    if (piece.untilMs >= lastInstantMs) return;
    change = piece.next;
    fromMs = piece.untilMs;
  }
}

/** No clock has ever been put back or forward by more than a day. */
const foldMsMax = 86_400_000;
/** How far past the next due time a change of the offset is looked for at once. */
const lookAheadMs = 30 * 86_400_000;

interface Piece {
  readonly offsetMs: number;
  readonly fromMs: number;
  readonly untilMs: number;
  /** The change at which it begins, if it begins at one. */
  readonly change: OffsetChange | undefined;
  /** The change at which it ends, if it ends at one. */
  readonly next: OffsetChange | undefined;
}

/** The piece that begins at `fromMs`; undefined when nothing is due any more. */
function pieceAfter(
  zone: string,
  walls: WallTimes,
  fromMs: number,
  wantedMs: number,
  change: OffsetChange | undefined,
): Piece | undefined {
  const offsetMs = zoneOffsetMs(zone, fromMs);
  const wallMs = walls.after(wantedMs + offsetMs - foldMsMax);
  if (wallMs === undefined) return undefined;
  const soonMs = Math.min(lastInstantMs, Math.max(wantedMs, wallMs - offsetMs) + lookAheadMs);
  // A fold begins before its change, so a change just after the end of the piece belongs to it.
  const next = nextOffsetChange(zone, fromMs, soonMs + foldMsMax);
  return { offsetMs, fromMs, untilMs: next?.atMs ?? soonMs, change, next };
}

function* pieceOccurrences(
  walls: WallTimes,
  policy: Required<DstPolicy>,
  { offsetMs, fromMs, untilMs, change, next }: Piece,
  afterMs: number,
): Generator<Occurrence, void, undefined> {
  const foldEndMs = change && change.afterMs < change.beforeMs ? fromMs + change.beforeMs - change.afterMs : fromMs;
  const nextFoldMs = next && next.afterMs < next.beforeMs ? next.atMs - (next.beforeMs - next.afterMs) : untilMs;
  const isNews = change !== undefined && fromMs + filedMax > afterMs;
  const gap = isNews && change.afterMs > change.beforeMs ? gapOf(walls, change, policy) : [];
  yield* gap.filter(({ scheduledForMs }) => scheduledForMs === fromMs);
  let filed = gap.filter(({ scheduledForMs }) => scheduledForMs !== fromMs);

  // "After" excludes, and a due time may be at the beginning itself.
  const wantedMs = Math.max(fromMs - 1_000, Math.floor(afterMs / 1_000) * 1_000);
  let wallMs = walls.after(wantedMs + offsetMs);
  for (; wallMs !== undefined && wallMs - offsetMs < untilMs; wallMs = walls.after(wallMs)) {
    const atMs = wallMs - offsetMs;
    if (atMs > fromMs) {
      yield* filed;
      filed = [];
    }
    if (atMs < foldEndMs) yield folded(atMs, wallMs, policy.fold !== 'first', 'second', policy.fold);
    else if (atMs >= nextFoldMs) yield folded(atMs, wallMs, policy.fold !== 'second', 'first', policy.fold);
    else yield dueAt(atMs, wallMs);
  }
  yield* filed;
}

/** The wall times that a change forward leaves out: one may be moved to the change, the others are filed after it. */
function gapOf(
  walls: WallTimes,
  { atMs, beforeMs, afterMs }: OffsetChange,
  { gap }: Required<DstPolicy>,
): readonly Occurrence[] {
  const isAtChange = walls.after(atMs + afterMs - 1_000) === atMs + afterMs;
  const jump = `the clocks went from ${timeOf(atMs + beforeMs)} to ${timeOf(atMs + afterMs)}`;
  const found: Occurrence[] = [];
  let filed = 0;
  let wallMs = walls.after(atMs + beforeMs - 1_000);
  for (; wallMs !== undefined && wallMs < atMs + afterMs; wallMs = walls.after(wallMs)) {
    const localTime = formatCivil(wallMs);
    if (gap === 'shift' && !isAtChange && found.length === 0) {
      const reason = `moved from ${localTime}, which does not exist: ${jump}`;
      found.push({ scheduledForMs: atMs, localTime, kind: 'due', reason });
      continue;
    }
    filed++;
    if (filed > filedMax) continue;
    const why = gap === 'shift' ? `${jump}, and one run at that moment stands for all` : jump;
    found.push({
      scheduledForMs: atMs + filed,
      localTime,
      kind: 'dst-skipped',
      reason: `${localTime} does not exist: ${why}`,
    });
  }
  const last = found.at(-1);
  if (last && filed > filedMax) {
    found[found.length - 1] = { ...last, reason: `${last.reason}; and ${filed - filedMax} more due times after it` };
  }
  return found;
}

function folded(
  atMs: number,
  wallMs: number,
  fires: boolean,
  which: 'first' | 'second',
  fold: Required<DstPolicy>['fold'],
): Occurrence {
  const occurrence = dueAt(atMs, wallMs);
  const twice = `${occurrence.localTime} comes twice, since the clocks go back; this is the ${which} time`;
  if (fires) return { ...occurrence, reason: twice };
  return { ...occurrence, kind: 'dst-folded', reason: `${twice}, and only the ${fold} fires` };
}

function dueAt(scheduledForMs: number, wallMs: number): Occurrence {
  return { scheduledForMs, localTime: formatCivil(wallMs), kind: 'due' };
}

function policyOf(dst: DstPolicy | undefined, namesHour: boolean): Required<DstPolicy> {
  return { gap: dst?.gap ?? (namesHour ? 'shift' : 'skip'), fold: dst?.fold ?? (namesHour ? 'first' : 'both') };
}

function dailyLine(at: string): string {
  const [, hour = '0', minute = '0'] = dailyAtPattern.exec(at) ?? [];
  return `${Number(minute)} ${Number(hour)} * * *`;
}

function timeOf(wallMs: number): string {
  return formatCivil(wallMs).slice(11, 16);
}
