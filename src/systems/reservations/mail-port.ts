/**
 * What reservations need from mail: one act. Delivery is at-least-once by nature (a server may accept a message and
 * die before it says so), so every message has a key of its cause; the Message-ID is made from it and stays the same.
 */
import type { Locale } from './app-error.ts';

/** What a mail says. Each is a template in Japanese and English, plain text and HTML. */
export type MailTemplate =
  | 'payment-failed'
  | 'payment-pending'
  | 'refund-completed'
  | 'refund-needs-account'
  | 'render-delayed'
  | 'render-failed-refunded'
  | 'reservation-cancelled'
  | 'reservation-cancelled-refunded'
  | 'reservation-confirmed'
  | 'reservation-expired-refunded';

/** Facts for the template. Amounts in minor units, times in ms since 1970. */
export interface MailData {
  readonly reservationId: number;
  readonly customerName: string;
  readonly videoTitle: string;
  /** `YYYY-MM-DD` in the calendar's zone. */
  readonly projectionDate: string;
  readonly slotNumber: number;
  readonly slotStartsAtMs: number;
  readonly timeZone: string;
  readonly amount?: number;
  readonly refundAmount?: number;
  readonly currency?: string;
  /** What comes by itself, and when: a window's end, a voucher's end, the time to name an account. */
  readonly untilMs?: number;
}

export interface MailMessage {
  /** Unique per cause, such as `reservation-confirmed:41`. The Message-ID is made from it. */
  readonly key: string;
  readonly to: string;
  readonly locale: Locale;
  readonly template: MailTemplate;
  readonly data: MailData;
}

export type MailAnswer =
  | { readonly kind: 'sent'; readonly messageId: string }
  /** The server refused for good, such as an address that does not exist. */
  | { readonly kind: 'refused'; readonly reason: string };

export interface MailPort {
  readonly name: string;
  /** Throws `AppError` PROVIDER_UNAVAILABLE when it can help to try again, or when the outcome is unknown. */
  send(message: MailMessage): Promise<MailAnswer>;
}
