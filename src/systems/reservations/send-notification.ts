/**
 * The mail job. The state is read again at the time of sending: what has become untrue is dropped, with a reason. A
 * mail whose outcome is unknown is sent again with the same Message-ID.
 */

import type { EffectAnswer, EffectRun } from '../../core/effect-queue.ts';
import type { Locale } from './app-error.ts';
import type { MailData, MailTemplate } from './mail-port.ts';
import type { ReservationStatus } from './priority-table.ts';
import { queryOne, type ReservationsContext } from './reservations-context.ts';
import type { VideoState } from './video-table.ts';

interface NotificationRow {
  readonly id: number;
  readonly key: string;
  readonly template: MailTemplate;
  readonly data: { readonly refundAmount?: number; readonly currency?: string; readonly untilMs?: number };
  readonly state: 'wanted' | 'sent' | 'dropped' | 'refused';
  readonly reservationId: number;
  readonly status: ReservationStatus;
  readonly projectionDate: string;
  readonly slotNumber: number;
  readonly slotStartsAtMs: number;
  readonly amount: number;
  readonly currency: string;
  readonly email: string;
  readonly name: string;
  readonly locale: Locale;
  readonly title: string;
  readonly videoStatus: VideoState;
}

const done: EffectAnswer = { kind: 'done' };

export async function sendNotification(c: ReservationsContext, run: EffectRun): Promise<EffectAnswer> {
  const { notificationId } = run.payload as { readonly notificationId: number };
  const row = await queryOne<NotificationRow>(c.database, c.sql.readNotification, [notificationId]);
  if (row?.state !== 'wanted') return done;
  const finish = async (state: string, note: string | null, messageId: string | null): Promise<EffectAnswer> => {
    await c.database.query({ ...c.sql.finishNotification, values: [row.id, state, note, messageId] });
    return done;
  };
  const untrue = whyUntrue(row);
  if (untrue) return finish('dropped', untrue, null);
  const answer = await c.mail.send({
    key: row.key,
    to: row.email,
    locale: row.locale,
    template: row.template,
    data: dataOf(row, c.calendar.timeZone),
  });
  return answer.kind === 'sent'
    ? finish('sent', null, answer.messageId)
    : finish('refused', answer.reason.slice(0, 500), null);
}

/** What a mail promises must still be so when it leaves. */
function whyUntrue({ template, status, videoStatus }: NotificationRow): string | undefined {
  if (template === 'reservation-confirmed' && status !== 'confirmed' && status !== 'served') {
    return `the reservation is ${status} by now`;
  }
  if (template === 'payment-pending' && status !== 'payment_pending') return `the reservation is ${status} by now`;
  if (template === 'render-delayed' && (videoStatus !== 'failed' || status !== 'confirmed')) {
    return `the video is ${videoStatus} and the reservation ${status} by now`;
  }
  return undefined;
}

function dataOf(row: NotificationRow, timeZone: string): MailData {
  const { refundAmount, currency = row.currency, untilMs } = row.data;
  return {
    reservationId: row.reservationId,
    customerName: row.name,
    videoTitle: row.title,
    projectionDate: row.projectionDate,
    slotNumber: row.slotNumber,
    slotStartsAtMs: row.slotStartsAtMs,
    timeZone,
    amount: row.amount,
    currency,
    ...(refundAmount !== undefined && { refundAmount }),
    ...(untilMs !== undefined && { untilMs }),
  };
}
