/**
 * Every day: what nobody needs any more. Reservations, payments, refunds and notifications are kept for ever: they are
 * the books, and the memory of what was done. A sender repeats events for days, so theirs are kept for a month.
 */
import type { NamedStatement } from './reservation-statements.ts';
import type { ReservationsContext } from './reservations-context.ts';

export interface RetentionSettings {
  /** Ids of events that were worked on. From 30 days. @default 30 */
  readonly eventDays?: number;
  /** Further keys of holds that were handed back. From 7 days. @default 30 */
  readonly keyDays?: number;
  /** Effects that are done. From 7 days. @default 30 */
  readonly effectDays?: number;
  /** Race log, journal and closed alerts. From 30 days. @default 400 */
  readonly journalDays?: number;
}

const day = 86_400_000;
const batch = 5_000;

export async function forgetOld(c: ReservationsContext, settings: RetentionSettings = {}): Promise<number> {
  const { eventDays = 30, keyDays = 30, effectDays = 30, journalDays = 400 } = settings;
  const plan: readonly (readonly [NamedStatement, number])[] = [
    [c.sql.forgetEvents, Math.max(30, eventDays)],
    [c.sql.forgetHoldKeys, Math.max(7, keyDays)],
    [c.sql.forgetEffects, Math.max(7, effectDays)],
    [c.sql.forgetRaces, Math.max(30, journalDays)],
    [c.sql.forgetJournal, Math.max(30, journalDays)],
    [c.sql.forgetAlerts, Math.max(30, journalDays)],
  ];
  let forgotten = 0;
  for (const [statement, days] of plan) {
    let count = batch;
    while (count === batch) {
      count = (await c.database.query({ ...statement, values: [days * day, batch] })).rowCount;
      forgotten += count;
    }
  }
  return forgotten;
}
