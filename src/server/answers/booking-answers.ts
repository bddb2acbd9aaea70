/** What the routes of bookings answer. Times are milliseconds since 1970 by the database's clock. */
import { z } from 'zod';
import type {
  CancelResult,
  MailAgain,
  RefundCause,
  RefundResult,
  RefundState,
  ReservationProblem,
  VideoState,
} from '../../systems/reservations/index.ts';
import type { CustomerReservation } from '../booking/customer-view.ts';
import {
  type AlertsReply,
  type BookingSessionReply,
  type CheckoutReply,
  type CustomerReservationReply,
  type CustomerReservationsReply,
  type DaysReply,
  type HoldReply,
  type MailsReply,
  type MoneyReply,
  type RacesReply,
  type ReservationsReply,
  reservationStates,
  type SandboxReply,
  type SandboxSession,
  type SandboxSessionReply,
  type ShownReservation,
} from '../booking-contract.ts';
import { nextCursor as cursor } from '../paging/page-query.ts';

export const ms = z.number();
export const id = z.int();
/** Whole numbers in minor units. */
export const money = z.int();
export const locale = z.enum(['en', 'ja']);
/** Written by this or an earlier version: named by nobody. */
export const details = z.record(z.string(), z.unknown());

const refundStates = ['wanted', 'pending', 'requires_action', 'succeeded', 'failed', 'manual', 'superseded'] as const;
const refundCauses = [
  'cancelled',
  'differs',
  'expired',
  'expired-by-cap',
  'goodwill',
  'outside',
  'render-failed',
  'second-payment',
] as const;
export const refundState: z.ZodType<RefundState> = z.enum(refundStates);
export const refundCause: z.ZodType<RefundCause> = z.enum(refundCauses);
const videoState: z.ZodType<VideoState> = z.enum(['pending', 'processing', 'ready', 'failed']);
const problem: z.ZodType<ReservationProblem> = z.enum([
  'refund-parked',
  'disputed',
  'payment-differs',
  'render-failed',
]);
export const scenario = z.enum([
  'EXPIRED_AFTER_PAYMENT',
  'SLOT_CONFLICT',
  'RENDER_FAILURE',
  'DUPLICATE_CANCEL',
  'UNRULED',
]);
export const resolution = z.enum(['REFUNDED', 'RETRY', 'MANUAL_REQUIRED']);

const own: z.ZodType<CustomerReservation> = z.object({
  id,
  title: z.string(),
  projectionDate: z.string(),
  slotNumber: z.int(),
  startsAtMs: ms,
  state: z.enum([
    'kept',
    'checking',
    'paying-later',
    'confirmed',
    'delayed',
    'shown',
    'ended',
    'expired-refunded',
    'cancelled',
    'cancelled-refunded',
    'render-failed-refunded',
  ]),
  amount: money,
  currency: z.string(),
  email: z.string(),
  holdEndsAtMs: ms,
  payUntilMs: ms.nullable(),
  canCancel: z.boolean(),
  refund: z.object({ amount: money, state: z.enum(['coming', 'sent']) }).nullable(),
  steps: z
    .array(
      z.object({
        atMs: ms,
        kind: z.enum(['kept', 'time-ended', 'paid', 'confirmed', 'cancelled', 'refund-sent', 'mailed']),
        lateMs: ms.exactOptional(),
      }),
    )
    .exactOptional(),
  practiceCheckout: z.string().exactOptional(),
  nowMs: ms,
});

const session: z.ZodType<SandboxSession> = z.object({
  session: z.string(),
  reservationId: id,
  title: z.string(),
  email: z.string(),
  amount: money,
  currency: z.string(),
  status: z.enum(['open', 'complete', 'expired']),
  payment: z.enum(['paid', 'unpaid']),
  later: z.boolean(),
  createdAtMs: ms,
  expiresAtMs: ms,
});

export const shown: z.ZodType<ShownReservation> = z.object({
  id,
  videoId: id,
  projectionDate: z.string(),
  slotNumber: z.int(),
  status: z.enum(reservationStates),
  paymentId: id.nullable(),
  amount: money,
  currency: z.string(),
  version: z.int(),
  holdExpiresAtMs: ms,
  slotStartsAtMs: ms,
  payUntilMs: ms.nullable(),
  expiringSinceMs: ms.nullable(),
  overdue: z.boolean(),
  begun: z.boolean(),
  nowMs: ms,
  createdAtMs: ms,
  updatedAtMs: ms,
  customerName: z.string(),
  email: z.string().meta({ description: 'In part.' }),
  locale,
  title: z.string(),
  videoStatus: videoState,
  refundState: refundState.nullable(),
  refundCause: refundCause.nullable(),
  refundAmount: money.nullable(),
  problem: problem.nullable(),
});

export const bookingSessionAnswer: z.ZodType<BookingSessionReply> = z.object({
  site: z.object({
    name: z.string(),
    timeZone: z.string(),
    holdMs: ms,
    daysAhead: z.int(),
    today: z.string(),
    slots: z.array(z.object({ number: z.int(), lengthMinutes: z.int() })),
  }),
  sandbox: z.boolean(),
  customer: z.object({ name: z.string(), email: z.string() }).exactOptional(),
});

export const daysAnswer: z.ZodType<DaysReply> = z.object({
  days: z.array(
    z.object({
      date: z.string(),
      slots: z.array(
        z.object({
          slotNumber: z.int(),
          startsAtMs: ms,
          endsAtMs: ms,
          amount: money,
          currency: z.string(),
          availability: z.enum(['free', 'held', 'settling', 'taken', 'past']),
          ownReservationId: id.exactOptional(),
          heldUntilMs: ms.exactOptional(),
        }),
      ),
    }),
  ),
  nowMs: ms,
  name: z.string(),
  timeZone: z.string(),
  holdMs: ms,
});

export const holdAnswer: z.ZodType<HoldReply> = z.object({ reservation: own, replayed: z.boolean() });

export const ownReservationAnswer: z.ZodType<CustomerReservationReply> = z.object({ reservation: own });

export const ownReservationsAnswer: z.ZodType<CustomerReservationsReply> = z.object({
  reservations: z.array(own),
  cursor,
});

export const checkoutAnswer: z.ZodType<CheckoutReply> = z.object({
  url: z.string(),
  sandboxSession: z.string().exactOptional(),
  expiresAtMs: ms,
});

export const sandboxSessionAnswer: z.ZodType<SandboxSessionReply> = z.object({
  session,
  declined: z.boolean().exactOptional(),
});

export const sandboxAnswer: z.ZodType<SandboxReply> = z.object({
  sessions: z.array(session),
  deliveries: z.object({
    delayMs: ms,
    copies: z.int(),
    order: z.enum(['kept', 'reversed', 'shuffled']),
    isLost: z.boolean(),
  }),
  parts: z.object({ payments: z.boolean(), mail: z.boolean(), render: z.boolean() }),
});

export const reservationsAnswer: z.ZodType<ReservationsReply> = z.object({
  reservations: z.array(shown),
  cursor,
  nowMs: ms,
});

export const racesAnswer: z.ZodType<RacesReply> = z.object({
  races: z.array(
    z.object({
      id,
      event: z.literal('RACE_CONDITION_DETECTED'),
      scenario,
      reservationId: id.nullable(),
      videoId: id.nullable(),
      resolution,
      timestamp: ms,
      details,
    }),
  ),
  cursor,
});

export const alertsAnswer: z.ZodType<AlertsReply> = z.object({
  alerts: z.array(
    z.object({
      id,
      rule: z.string(),
      subject: z.string(),
      level: z.enum(['warning', 'critical']),
      details,
      openedAtMs: ms,
      closedAtMs: ms.nullable(),
      title: z.string(),
      text: z.string(),
    }),
  ),
  cursor,
});

export const mailsAnswer: z.ZodType<MailsReply> = z.object({
  mails: z.array(
    z.object({
      id,
      notificationId: id.nullable(),
      reservationId: id.nullable(),
      messageId: z.string(),
      to: z.string(),
      template: z.string(),
      locale,
      subject: z.string(),
      text: z.string(),
      copies: z.int(),
      atMs: ms,
    }),
  ),
  cursor,
});

export const cancelReservationAnswer: z.ZodType<CancelResult> = z.object({
  reservationId: id,
  status: z.literal('cancelled'),
  replayed: z.boolean(),
});

export const refundAnswer: z.ZodType<RefundResult> = z.object({
  refundId: id,
  state: refundState,
  amount: money,
  currency: z.string(),
});

export const sendAgainAnswer: z.ZodType<MailAgain> = z.object({
  template: z.enum([
    'payment-failed',
    'payment-pending',
    'refund-completed',
    'refund-needs-account',
    'render-delayed',
    'render-failed-refunded',
    'reservation-cancelled',
    'reservation-cancelled-refunded',
    'reservation-confirmed',
    'reservation-expired-refunded',
  ]),
  /** False: it was waiting to be sent anyway. */
  isNew: z.boolean(),
});

export const videoAnswer: z.ZodType<{ readonly videoId: number; readonly status: VideoState }> = z.object({
  videoId: id,
  status: videoState,
});

export const moneyAnswer: z.ZodType<MoneyReply> = z.object({
  balanced: z.boolean(),
  totals: z.array(
    z.object({
      currency: z.string(),
      paid: money,
      refunded: money,
      owed: money,
      disputed: money,
      goodwill: money,
      live: money,
      undecided: money,
    }),
  ),
  offending: z.array(
    z.object({
      reservationId: id,
      paymentId: id.nullable(),
      status: z.string(),
      paid: money,
      given: money,
      owed: money,
      disputed: money,
      currency: z.string(),
      problem: z.string(),
    }),
  ),
});
