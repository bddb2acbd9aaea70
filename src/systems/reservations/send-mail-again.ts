/**
 * A person of the house wants a mail to reach its customer once more: the address was right, the mailbox was full. It is a
 * mail of its own with what is true now; pressed twice before it has left, it is one.
 */
import { type Acting, nameActor, requireAdmin } from './actor.ts';
import { AppError } from './app-error.ts';
import { effectNames } from './effect-names.ts';
import type { MailTemplate } from './mail-port.ts';
import type { ReservationRow } from './reservation-row.ts';
import { queryOne, type ReservationsContext } from './reservations-context.ts';
import { writeJournal } from './write-journal.ts';

export interface MailAgain {
  readonly template: MailTemplate;
  /** False: it was waiting to be sent anyway. */
  readonly isNew: boolean;
}

export async function sendMailAgain(
  c: ReservationsContext,
  notificationId: number,
  { actor }: Acting,
): Promise<MailAgain> {
  requireAdmin(actor, 'Sending a mail again');
  return c.database.transaction(async (tx) => {
    const mail = await queryOne<{ reservationId: number; template: MailTemplate }>(tx, c.sql.readNotification, [
      notificationId,
    ]);
    if (!mail) throw new AppError(`There is no mail ${notificationId}.`, { code: 'NOT_FOUND' });
    const { reservationId, template } = mail;
    // Two who ask at once come here one after the other.
    await queryOne<ReservationRow>(tx, c.sql.lockReservation, [reservationId]);
    const made = await queryOne<{ id: number; key: string }>(tx, c.sql.repeatNotification, [notificationId]);
    if (!made) return { template, isNew: false };
    await writeJournal(c, tx, {
      event: 'mail sent again',
      reservationId,
      actor: nameActor(actor),
      details: { template },
    });
    await c.effects.enqueue(tx, effectNames.mail, { notificationId: made.id }, { key: `mail:${made.key}` });
    return { template, isNew: true };
  });
}
