import type { SqlExecutor } from '../../core/ports.ts';
import { effectNames } from './effect-names.ts';
import type { MailTemplate } from './mail-port.ts';
import { queryOne, type ReservationsContext } from './reservations-context.ts';

export interface CustomerNotice {
  readonly template: MailTemplate;
  readonly reservationId: number;
  /** What caused it; the same cause is told once. @default the reservation */
  readonly cause?: string;
  readonly data?: { readonly refundAmount?: number; readonly currency?: string; readonly untilMs?: number };
}

/** A mail as an effect of the transaction: one per template and cause. True: it is new. */
export async function notifyCustomer(
  c: ReservationsContext,
  tx: SqlExecutor,
  notice: CustomerNotice,
): Promise<boolean> {
  const { template, reservationId, data = {} } = notice;
  const key = `${template}:${notice.cause ?? reservationId}`;
  const values = [key, reservationId, template, JSON.stringify(data)];
  const made = await queryOne<{ id: number }>(tx, c.sql.insertNotification, values);
  if (!made) return false;
  await c.effects.enqueue(tx, effectNames.mail, { notificationId: made.id }, { key: `mail:${key}` });
  return true;
}
