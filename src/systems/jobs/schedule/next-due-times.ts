import { type Occurrence, occurrencesAfter } from './occurrences.ts';
import type { Schedule } from './schedule.ts';

/**
 * The next times a form or a page shows, five by default; fewer when the schedule ends. Those that a change of clocks
 * leaves out are not among them, and one that such a change moved says so.
 */
export function nextDueTimes(schedule: Schedule, afterMs: number, count = 5): readonly Occurrence[] {
  const times: Occurrence[] = [];
  for (const occurrence of occurrencesAfter(schedule, afterMs)) {
    if (occurrence.kind === 'due') times.push(occurrence);
    if (times.length >= count) break;
  }
  return times;
}
