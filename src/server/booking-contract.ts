/** What goes over the wire about bookings, reservations and the sandbox. */
import { z } from 'zod';
import type {
  Alert,
  MoneyAudit,
  RaceEntry,
  ReservationStory,
  ReservationSummary,
  SlotOffer,
} from '../systems/reservations/index.ts';
import type { CustomerReservation } from './booking/customer-view.ts';
import type { MailboxEntry } from './booking/database-mailbox.ts';
import { idPageFields, type PagedReply } from './paging/page-query.ts';

export interface BookingSessionReply {
  readonly site: {
    readonly name: string;
    readonly timeZone: string;
    readonly holdMs: number;
    readonly daysAhead: number;
    /** Today where the place is. */
    readonly today: string;
    /** How long each time of a day lasts. */
    readonly slots: readonly { readonly number: number; readonly lengthMinutes: number }[];
  };
  /** No real money moves. */
  readonly sandbox: boolean;
  /** Absent: this browser has not booked yet. */
  readonly customer?: { readonly name: string; readonly email: string };
}

export interface DayReply {
  readonly date: string;
  /** Empty: closed. */
  readonly slots: readonly SlotOffer[];
}

export interface DaysReply {
  readonly days: readonly DayReply[];
  /** The server's clock. */
  readonly nowMs: number;
  /** The place: its name, its zone and how long a time is kept there. */
  readonly name: string;
  readonly timeZone: string;
  readonly holdMs: number;
}

export interface HoldReply {
  readonly reservation: CustomerReservation;
  /** It was made before, under this key. */
  readonly replayed: boolean;
}

export interface CustomerReservationReply {
  readonly reservation: CustomerReservation;
}

export interface CustomerReservationsReply extends PagedReply {
  readonly reservations: readonly CustomerReservation[];
}

export interface CheckoutReply {
  /** Where the customer pays: an address of the provider, or a path of this server for the sandbox. */
  readonly url: string;
  /** Of the sandbox: `POST /api/v1/sandbox/checkout/{session}` presses a button. */
  readonly sandboxSession?: string;
  readonly expiresAtMs: number;
}

export interface SandboxSession {
  readonly session: string;
  readonly reservationId: number;
  readonly title: string;
  readonly email: string;
  readonly amount: number;
  readonly currency: string;
  readonly status: 'open' | 'complete' | 'expired';
  readonly payment: 'paid' | 'unpaid';
  /** `later` is offered. */
  readonly later: boolean;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
}

export interface SandboxSessionReply {
  readonly session: SandboxSession;
  /** After `fail`: the card was declined, and another try is open. */
  readonly declined?: boolean;
}

export interface SandboxReply {
  readonly sessions: readonly SandboxSession[];
  readonly deliveries: {
    readonly delayMs: number;
    readonly copies: number;
    readonly order: 'kept' | 'reversed' | 'shuffled';
    readonly isLost: boolean;
  };
  readonly parts: { readonly payments: boolean; readonly mail: boolean; readonly render: boolean };
}

/** The customer's address is shown in part only. */
export type ShownReservation = Omit<ReservationSummary, 'userId'>;

export interface ReservationsReply extends PagedReply {
  readonly reservations: readonly ShownReservation[];
  readonly nowMs: number;
}

export interface StoryReply {
  readonly story: Omit<ReservationStory, 'reservation'> & { readonly reservation: ShownReservation };
  readonly timeZone: string;
}

export interface RacesReply extends PagedReply {
  readonly races: readonly RaceEntry[];
}

export interface AlertsReply extends PagedReply {
  readonly alerts: readonly (Alert & { readonly title: string; readonly text: string })[];
}

export interface MailsReply extends PagedReply {
  readonly mails: readonly MailboxEntry[];
}

export type MoneyReply = MoneyAudit;

const day = z.string().regex(/^\d{4}-\d\d-\d\d$/, 'must be a day as YYYY-MM-DD');
/** What people type: one line, nothing invisible. */
const line = (max: number): z.ZodType<string> =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    .refine((text) => !/[\p{Cc}\u2028\u2029]/u.test(text), 'must be one line');
const locale = z.enum(['en', 'ja']);

export const daysQuery = z.strictObject({
  from: day.optional(),
  days: z.coerce.number().int().min(1).max(31).optional(),
});

export const holdBody = z.strictObject({
  idempotencyKey: z.string().max(64),
  projectionDate: day,
  slotNumber: z.int().min(1).max(10_000),
  filmTitle: line(120),
  name: line(80),
  email: line(320).refine((text) => /^[^\s@<>",;]+@[^\s@<>",;]+\.[^\s@<>",;]+$/.test(text), 'is not a mail address'),
  locale,
});

export const actBody = z.strictObject({ locale: locale.optional() });

export const reservationStates = [
  'hold',
  'expiring',
  'payment_pending',
  'confirmed',
  'served',
  'expired',
  'cancelled',
] as const;

export const reservationsQuery = z.strictObject({
  from: day.optional(),
  to: day.optional(),
  /** Joined by commas. */
  status: z
    .string()
    .max(100)
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(reservationStates)))
    .optional(),
  q: z.string().max(200).optional(),
  problems: z.enum(['true', 'false']).optional(),
  ...idPageFields('reservations'),
});

export const ownReservationsQuery = z.strictObject(idPageFields('own-reservations'));

export const racesQuery = z.strictObject({
  scenario: z
    .enum(['EXPIRED_AFTER_PAYMENT', 'SLOT_CONFLICT', 'RENDER_FAILURE', 'DUPLICATE_CANCEL', 'UNRULED'])
    .optional(),
  ...idPageFields('races'),
});

export const alertsQuery = z.strictObject({
  open: z.enum(['true', 'false']).optional(),
  locale: locale.optional(),
  ...idPageFields('alerts'),
});

export const mailsQuery = z.strictObject(idPageFields('mails'));

export const fixBody = z.strictObject({
  /** Where the film is. Absent: it is rendered again. */
  renderUrl: z
    .url({ protocol: /^https?$/ })
    .max(2_000)
    .exactOptional(),
});

export const sandboxButtons = ['pay', 'fail', 'later', 'voucher-pay', 'voucher-lapse'] as const;
export const sandboxPressBody = z.strictObject({ press: z.enum(sandboxButtons) });

export const sandboxSettingsBody = z.strictObject({
  deliveries: z
    .strictObject({
      delayMs: z.int().min(0).max(600_000).exactOptional(),
      copies: z.int().min(1).max(10).exactOptional(),
      order: z.enum(['kept', 'reversed', 'shuffled']).exactOptional(),
      isLost: z.boolean().exactOptional(),
    })
    .exactOptional(),
  /** So many of the next renders fail. */
  failRenders: z.int().min(0).max(20).exactOptional(),
});
