/** The public face of reservations. Every function takes who asks as its last argument. */

import type { AcceptedWebhook, WebhookInput } from './accept-webhook.ts';
import type { Acting } from './actor.ts';
import type { MoneyAudit } from './audit-money.ts';
import type { BeginSlotsResult } from './begin-slots.ts';
import type { CancelResult } from './cancel-reservation.ts';
import type { Alert } from './check-alerts.ts';
import type { CheckFailedRendersResult } from './check-failed-renders.ts';
import type { ExpireHoldsResult } from './expire-holds.ts';
import type { CheckoutOutcome } from './handle-checkout-complete.ts';
import type { HoldSlotInput, HoldSlotResult } from './hold-slot.ts';
import type { SlotOffer } from './list-slots.ts';
import type { VideoFix } from './mark-video-fixed.ts';
import type { RaceConditionLog } from './race-log.ts';
import type { ReservationReader } from './read/reservation-reader.ts';
import type { ReconcileResult } from './reconcile.ts';
import type { RefundResult } from './refund-payment.ts';
import type { MailAgain } from './send-mail-again.ts';
import type { WithSlotLock } from './slot-lock.ts';
import type { Checkout } from './start-checkout.ts';
import type { VideoState } from './video-table.ts';
import type { WorkedEvents } from './work-events.ts';

export interface Reservations {
  /** Takes a slot for 15 minutes. The same key and input again: the same answer, with the status of now. */
  holdSlot(input: HoldSlotInput, acting: Acting): Promise<HoldSlotResult>;
  /** Opens the payment page of a hold; asked again, the same one. */
  startCheckout(reservationId: number, acting: Acting): Promise<Checkout>;
  /** A session may have been paid: it is fetched and settled. Safe to call any number of times. */
  handleCheckoutComplete(session: { readonly id: string }, acting?: Acting): Promise<CheckoutOutcome>;
  /** The same, for a reservation that is known. */
  confirmReservation(
    reservationId: number,
    session: { readonly id: string },
    acting?: Acting,
  ): Promise<CheckoutOutcome>;
  /** Cancels before the slot begins; a paid one is refunded. The second caller gets success. */
  cancelReservation(reservationId: number, acting: Acting): Promise<CancelResult>;
  /** Every hour: failed renders whose time for a fix is over. */
  checkFailedRenders(acting?: Acting): Promise<CheckFailedRendersResult>;
  /** Every minute: overdue holds and vouchers. */
  expireHolds(acting?: Acting): Promise<ExpireHoldsResult>;
  /** Every minute: slots that have begun. */
  beginSlots(acting?: Acting): Promise<BeginSlotsResult>;
  /** Joins the ledger's one refund of a payment; a parked one is tried again. */
  processRefund(paymentId: number, acting: Acting): Promise<RefundResult>;
  /** One at a time per slot. A courtesy: what excludes is the slot's unique index. */
  readonly withSlotLock: WithSlotLock;
  /** A person fixed a failed render, or wants it tried again. */
  markVideoFixed(
    videoId: number,
    fix: VideoFix,
    acting: Acting,
  ): Promise<{ readonly videoId: number; readonly status: VideoState }>;
  /** Sends a mail once more, under a new Message-ID; while it still waits, once. For people of the house. */
  sendMailAgain(notificationId: number, acting: Acting): Promise<MailAgain>;
  listSlots(date: string, acting: Acting): Promise<readonly SlotOffer[]>;
  /** Checks and stores a payment webhook; answer 2xx once it returns, then call `workEvents`. */
  acceptWebhook(input: Omit<WebhookInput, 'nowMs'>): Promise<AcceptedWebhook>;
  workEvents(options?: { readonly limit?: number }): Promise<WorkedEvents>;
  /** A callback of the renderer: a hint with a secret, believed only after the status was fetched. */
  handleRenderCallback(input: {
    readonly rawBody: string;
    readonly query: Readonly<Record<string, string>>;
  }): Promise<{ readonly videoId: number; readonly ignored: boolean } | undefined>;
  /** What no webhook told. */
  reconcile(acting?: Acting): Promise<ReconcileResult>;
  /** The books, with every row that does not add up. */
  auditMoney(): Promise<MoneyAudit>;
  listRaces(options?: { readonly limit?: number }): Promise<readonly RaceConditionLog[]>;
  listAlerts(options?: { readonly limit?: number }): Promise<readonly Alert[]>;
  checkAlerts(acting?: Acting): Promise<{ readonly raised: number; readonly closed: number }>;
  /** What nobody needs any more. How many rows. */
  forgetOld(acting?: Acting): Promise<number>;
  /** Lists and stories, for the pages of the house. */
  readonly read: ReservationReader;
  /** Everything that must happen by itself, and how often. */
  readonly periodic: readonly PeriodicJob[];
}

export interface PeriodicJob {
  readonly name: string;
  readonly everyMs: number;
  /** Safe to run twice at once, and to be cut off at any point. */
  run(): Promise<unknown>;
}
