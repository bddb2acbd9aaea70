/**
 * Every minute: slots that have begun. A confirmed reservation with a ready film is served, and its money is earned;
 * without one it is cancelled and refunded. Whatever was still unpaid ends.
 */
import { applyEvent } from './apply-event.ts';
import type { ReservationRow } from './reservation-row.ts';
import { queryAll, type ReservationsContext } from './reservations-context.ts';

export interface BeginSlotsResult {
  readonly served: number;
  readonly refunded: number;
  readonly ended: number;
}

const batch = 100;

export async function beginSlots(c: ReservationsContext): Promise<BeginSlotsResult> {
  const counts = { served: 0, refunded: 0, ended: 0 };
  let more = true;
  while (more) {
    const moved = await c.database.transaction(async (tx) => {
      const rows = await queryAll<ReservationRow & { videoReady: boolean }>(tx, c.sql.lockStarting, [batch]);
      const statuses: string[] = [];
      for (const row of rows) {
        const event = row.videoReady ? 'slot begins, video ready' : 'slot begins, no video';
        statuses.push((await applyEvent(c, tx, row, event, { actor: 'system' })).row.status);
      }
      return statuses;
    });
    for (const status of moved) {
      if (status === 'served') counts.served++;
      else if (status === 'cancelled') counts.refunded++;
      else counts.ended++;
    }
    more = moved.length === batch;
  }
  return counts;
}
