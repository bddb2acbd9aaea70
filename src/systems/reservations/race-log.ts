/** Every conflict that was met, in the shape that the first design of the product gave it. */
import type { SqlExecutor } from '../../core/ports.ts';
import { changes, type ReservationsContext } from './reservations-context.ts';

export interface RaceConditionLog {
  readonly event: 'RACE_CONDITION_DETECTED';
  readonly scenario: 'EXPIRED_AFTER_PAYMENT' | 'SLOT_CONFLICT' | 'RENDER_FAILURE' | 'DUPLICATE_CANCEL' | 'UNRULED';
  readonly reservationId?: number;
  readonly videoId?: number;
  readonly resolution: 'REFUNDED' | 'RETRY' | 'MANUAL_REQUIRED';
  /** Milliseconds since 1970 by the database's clock. */
  readonly timestamp: number;
}

export interface RaceRecord extends Omit<RaceConditionLog, 'event' | 'timestamp'> {
  /** A cause is recorded once. Absent: every one counts. */
  readonly cause?: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** False: this cause was recorded before. */
export function writeRaceLog(c: ReservationsContext, on: SqlExecutor, race: RaceRecord): Promise<boolean> {
  const { scenario, reservationId = null, videoId = null, resolution, cause = null, details = {} } = race;
  return changes(on, c.sql.writeRace, [scenario, reservationId, videoId, resolution, cause, JSON.stringify(details)]);
}
