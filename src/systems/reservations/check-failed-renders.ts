/**
 * Every hour: failed renders whose time for a fix is over. The failure that was found is named again under the lock: if
 * a person has restarted the render meanwhile and it has failed anew, that is another failure with a window of its own.
 */
import { applyEvent } from './apply-event.ts';
import type { ReservationRow } from './reservation-row.ts';
import { queryAll, queryOne, type ReservationsContext } from './reservations-context.ts';
import type { VideoRow } from './start-render.ts';

export interface CheckFailedRendersResult {
  /** Reservations cancelled, their money on its way back. */
  readonly refunded: number;
}

interface EndedWindow {
  readonly reservationId: number;
  readonly videoId: number;
  readonly failure: number;
}

const batch = 100;

export async function checkFailedRenders(c: ReservationsContext): Promise<CheckFailedRendersResult> {
  const ended = await queryAll<EndedWindow>(c.database, c.sql.listEndedWindows, [c.settings.renderWindowMs, batch]);
  let refunded = 0;
  for (const window of ended) if (await endWindow(c, window)) refunded++;
  return { refunded };
}

/** The timer of one failure. False: that failure is no longer the one that stands. */
export async function endWindow(
  c: ReservationsContext,
  { reservationId, videoId, failure }: EndedWindow,
): Promise<boolean> {
  return c.database.transaction(async (tx) => {
    const row = await queryOne<ReservationRow>(tx, c.sql.lockReservation, [reservationId]);
    const video = await queryOne<VideoRow>(tx, c.sql.lockVideo, [videoId]);
    if (row?.status !== 'confirmed' || video?.status !== 'failed' || video.failure !== failure) return false;
    await applyEvent(c, tx, row, 'window ends (same failure)', { actor: 'system' });
    return true;
  });
}
