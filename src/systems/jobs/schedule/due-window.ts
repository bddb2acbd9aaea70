/**
 * What a leader's tick asks of a definition: the due times since its cursor, each with what is to become of it.
 *
 *   fired             due, and noticed in time
 *   caught-up         noticed late, and run nevertheless
 *   skipped-late      noticed late, and left out
 *   skipped-overlap   the run before it has not ended and the definition forbids a second
 *   dst-skipped       its local time does not exist on that day
 *   dst-folded        its local time comes twice on that day, and the policy takes the other one
 *
 * Every due time gets exactly one of these, with the reason where it is not plain.
 */
import { type Occurrence, occurrencesAfter } from './occurrences.ts';
import type { Schedule } from './schedule.ts';

export type SlotOutcome = 'caught-up' | 'dst-folded' | 'dst-skipped' | 'fired' | 'skipped-late' | 'skipped-overlap';

export interface DueSlot {
  readonly scheduledForMs: number;
  readonly localTime: string;
  readonly outcome: SlotOutcome;
  /** One sentence, where the outcome alone does not say it all. */
  readonly reason?: string;
}

export interface DueWindow {
  readonly slots: readonly DueSlot[];
  /** Where the next window begins: everything up to here is decided. */
  readonly cursorMs: number;
  /** There was more than `limit`: ask again at once. */
  readonly more: boolean;
}

export interface DueWindowOptions {
  readonly schedule: Schedule;
  /** The definition's cursor: later due times are looked at, this one not. */
  readonly cursorMs: number;
  /** By the database's clock. */
  readonly nowMs: number;
  /** A due time noticed within this time counts as fired. @default 5_000 */
  readonly onTimeWithinMs?: number;
  /** A due time noticed later than this is never run. @default Infinity */
  readonly skipLateAfterMs?: number;
  /** Which of the due times noticed late are run. @default 'newest' */
  readonly catchUp?: 'all' | 'newest' | 'none';
  /** Set when the definition forbids overlap: whether a run of it has not ended yet. */
  readonly forbidOverlap?: { readonly busy: boolean };
  /** Due times in one window, 1 to 10,000. @default 1_000 */
  readonly limit?: number;
}

export function decideDueWindow(options: DueWindowOptions): DueWindow {
  const { schedule, cursorMs, nowMs, limit = 1_000 } = options;
  const occurrences: Occurrence[] = [];
  let newerIsDue = false;
  for (const occurrence of occurrencesAfter(schedule, cursorMs)) {
    if (occurrence.scheduledForMs > nowMs) break;
    if (occurrences.length < limit) occurrences.push(occurrence);
    else newerIsDue ||= occurrence.kind === 'due';
    // Past the limit only one question is left, whether a newer one is due.
    if (newerIsDue) break;
  }
  const last = occurrences.at(-1);
  const more = occurrences.length === limit;
  const slots = decideSlots(occurrences, newerIsDue, options);
  return { slots, cursorMs: more && last ? last.scheduledForMs : Math.max(cursorMs, nowMs), more };
}

function decideSlots(
  occurrences: readonly Occurrence[],
  newerIsDue: boolean,
  { nowMs, onTimeWithinMs = 5_000, skipLateAfterMs = Infinity, catchUp = 'newest', forbidOverlap }: DueWindowOptions,
): readonly DueSlot[] {
  const newest = newerIsDue ? undefined : occurrences.findLast(({ kind }) => kind === 'due');
  let busy = forbidOverlap?.busy ?? false;
  return occurrences.map((occurrence) => {
    const { scheduledForMs, localTime, kind, reason } = occurrence;
    const slot = (outcome: SlotOutcome, why = reason): DueSlot => ({
      scheduledForMs,
      localTime,
      outcome,
      ...(why !== undefined && { reason: why }),
    });
    if (kind !== 'due') return slot(kind);
    const lateMs = nowMs - scheduledForMs;
    const isLate = lateMs > onTimeWithinMs;
    if (isLate) {
      const lateBy = `noticed ${formatSeconds(lateMs)} late`;
      if (lateMs > skipLateAfterMs)
        return slot('skipped-late', `${lateBy}; the limit is ${formatSeconds(skipLateAfterMs)}`);
      if (catchUp === 'none') return slot('skipped-late', `${lateBy}; this schedule catches nothing up`);
      if (catchUp === 'newest' && occurrence !== newest)
        return slot('skipped-late', `${lateBy}; only the newest of the missed due times is caught up`);
    }
    if (forbidOverlap && busy)
      return slot('skipped-overlap', 'the run before it has not ended, and the definition forbids a second');
    busy = true;
    return isLate ? slot('caught-up', `noticed ${formatSeconds(lateMs)} late`) : slot('fired');
  });
}

function formatSeconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}
