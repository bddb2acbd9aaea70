/** What the routes of bookings answer: the names at the top, open below. */
import { z } from 'zod';
import type {
  AlertsReply,
  BookingSessionReply,
  CheckoutReply,
  CustomerReservationReply,
  CustomerReservationsReply,
  DaysReply,
  HoldReply,
  MailsReply,
  RacesReply,
  ReservationsReply,
  SandboxReply,
  SandboxSessionReply,
  StoryReply,
} from '../booking-contract.ts';
import { nextCursor } from '../paging/page-query.ts';

const cursor = nextCursor;
const entry = z.looseObject({});
/** The schema says less than the type; nobody must take it for more. */
const open = <Reply>(schema: z.ZodType): z.ZodType<Reply> => schema as unknown as z.ZodType<Reply>;

export const bookingSessionAnswer = open<BookingSessionReply>(
  z.object({ site: entry, sandbox: z.boolean(), customer: entry.exactOptional() }),
);
export const daysAnswer = open<DaysReply>(
  z.object({ days: z.array(z.object({ date: z.string(), slots: z.array(entry) })), nowMs: z.number() }),
);
export const holdAnswer = open<HoldReply>(z.object({ reservation: entry, replayed: z.boolean() }));
export const ownReservationAnswer = open<CustomerReservationReply>(z.object({ reservation: entry }));
export const ownReservationsAnswer = open<CustomerReservationsReply>(
  z.object({ reservations: z.array(entry), cursor }),
);
export const checkoutAnswer: z.ZodType<CheckoutReply> = z.object({
  url: z.string(),
  sandboxSession: z.string().exactOptional(),
  expiresAtMs: z.number(),
});
export const sandboxSessionAnswer = open<SandboxSessionReply>(
  z.object({ session: entry, declined: z.boolean().exactOptional() }),
);
export const sandboxAnswer = open<SandboxReply>(
  z.object({ sessions: z.array(entry), deliveries: entry, parts: entry }),
);
export const reservationsAnswer = open<ReservationsReply>(
  z.object({ reservations: z.array(entry), cursor, nowMs: z.number() }),
);
export const storyAnswer = open<StoryReply>(z.object({ story: entry, timeZone: z.string() }));
export const racesAnswer = open<RacesReply>(z.object({ races: z.array(entry), cursor }));
export const alertsAnswer = open<AlertsReply>(z.object({ alerts: z.array(entry), cursor }));
export const mailsAnswer = open<MailsReply>(z.object({ mails: z.array(entry), cursor }));
/** What the act of somebody of the house came to. */
export const doneAnswer = open<object>(entry);
