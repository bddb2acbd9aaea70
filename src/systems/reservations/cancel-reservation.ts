/**
 * Cancelling: one transition, one refund, however often it is asked. What the customer wants beats a payment that
 * arrives at the same moment. After the slot has begun there is nothing left to cancel.
 */
import { type Acting, localeOf, nameActor } from './actor.ts';
import { applyEvent } from './apply-event.ts';
import { customerError } from './error-texts.ts';
import { writeRaceLog } from './race-log.ts';
import type { ReservationRow } from './reservation-row.ts';
import { queryOne, type ReservationsContext } from './reservations-context.ts';

export interface CancelResult {
  readonly reservationId: number;
  readonly status: 'cancelled';
  /** It was cancelled before. */
  readonly replayed: boolean;
}

export async function cancelReservation(
  c: ReservationsContext,
  reservationId: number,
  { actor }: Acting,
): Promise<CancelResult> {
  const locale = localeOf(actor);
  return c.database.transaction(async (tx) => {
    const row = await queryOne<ReservationRow>(tx, c.sql.lockReservation, [reservationId]);
    if (!row || (actor.kind === 'user' && row.userId !== actor.id)) throw customerError('NOT_FOUND', locale);
    if (row.begun && row.status !== 'cancelled') throw customerError('CANNOT_CANCEL', locale);
    const event = actor.kind === 'user' ? 'user cancels' : 'admin cancels';
    const applied = await applyEvent(c, tx, row, event, { actor: nameActor(actor) });
    if (applied.kind === 'moved') return { reservationId, status: 'cancelled' as const, replayed: false };
    if (applied.kind !== 'told' || applied.answer !== 'ok') throw customerError('CANNOT_CANCEL', locale);
    await writeRaceLog(c, tx, {
      scenario: 'DUPLICATE_CANCEL',
      resolution: 'REFUNDED',
      reservationId,
      cause: `duplicate-cancel:${reservationId}`,
    });
    return { reservationId, status: 'cancelled' as const, replayed: true };
  });
}
