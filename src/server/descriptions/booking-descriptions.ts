import { z } from 'zod';
import {
  alertsAnswer,
  bookingSessionAnswer,
  cancelReservationAnswer,
  checkoutAnswer,
  daysAnswer,
  holdAnswer,
  mailsAnswer,
  moneyAnswer,
  ownReservationAnswer,
  ownReservationsAnswer,
  racesAnswer,
  refundAnswer,
  reservationsAnswer,
  sandboxAnswer,
  sandboxSessionAnswer,
  sendAgainAnswer,
  videoAnswer,
} from '../answers/booking-answers.ts';
import { storyAnswer } from '../answers/story-answer.ts';
import {
  actBody,
  alertsQuery,
  daysQuery,
  fixBody,
  holdBody,
  mailsQuery,
  ownReservationsQuery,
  racesQuery,
  reservationsQuery,
  sandboxPressBody,
  sandboxSettingsBody,
} from '../booking-contract.ts';
import type { RouteDescription } from '../route-description.ts';

const act = { body: actBody, bodyOptional: true } as const;
const byKey = 'The hold itself is kept under `idempotencyKey`, with the customer.';
const byProvider = 'Providers name each event; it is stored once by that name.';

export const bookingDescriptions = {
  'POST /api/v1/booking/session': {
    summary: 'What the booking page begins with; a browser without a cookie gets one.',
    answer: bookingSessionAnswer,
    once: 'It only gives a cookie, which must not be stored.',
  },
  'GET /api/v1/booking/days': { summary: 'Days and their slots.', query: daysQuery, answer: daysAnswer },
  'POST /api/v1/booking/hold': {
    summary: 'Holds a slot for the customer.',
    body: holdBody,
    answer: holdAnswer,
    statuses: [201, 200],
    once: byKey,
  },
  'GET /api/v1/booking/reservations': {
    summary: 'The customer’s own reservations, newest first.',
    query: ownReservationsQuery,
    answer: ownReservationsAnswer,
  },
  'GET /api/v1/booking/reservations/:id': {
    summary: 'One of the customer’s own reservations, with its steps.',
    answer: ownReservationAnswer,
    problems: ['not-found'],
  },
  'POST /api/v1/booking/reservations/:id/cancel': {
    summary: 'Cancels one of the customer’s own reservations.',
    ...act,
    answer: ownReservationAnswer,
  },
  'POST /api/v1/booking/reservations/:id/checkout': {
    summary: 'Where the customer pays; asked again, the same place.',
    ...act,
    answer: checkoutAnswer,
  },
  'POST /api/v1/booking/reservations/:id/returned': {
    summary: 'The customer has come back from the payment page.',
    ...act,
    answer: ownReservationAnswer,
  },
  'GET /api/v1/sandbox/checkout/:session': {
    summary: 'A payment page of the sandbox.',
    answer: sandboxSessionAnswer,
    problems: ['not-found'],
  },
  'POST /api/v1/sandbox/checkout/:session': {
    summary: 'Presses a button of a payment page of the sandbox.',
    body: sandboxPressBody,
    answer: sandboxSessionAnswer,
  },
  'GET /api/v1/sandbox': { summary: 'The sandbox: payment pages and how it delivers.', answer: sandboxAnswer },
  'POST /api/v1/sandbox': {
    summary: 'Changes how the sandbox delivers, or makes renders fail.',
    body: sandboxSettingsBody,
    answer: sandboxAnswer,
  },
  'POST /api/v1/sandbox/sessions/:session': {
    summary: 'Presses a button of any payment page of the sandbox.',
    body: sandboxPressBody,
    answer: sandboxSessionAnswer,
  },
  'GET /api/v1/slots': {
    summary: 'Days and their slots, as the house sees them.',
    query: daysQuery,
    answer: daysAnswer,
  },
  'GET /api/v1/reservations': {
    summary: 'Reservations, newest first.',
    query: reservationsQuery,
    answer: reservationsAnswer,
  },
  'GET /api/v1/reservations/:id': {
    summary: 'The whole story of a reservation.',
    answer: storyAnswer,
    problems: ['not-found'],
  },
  'POST /api/v1/reservations/:id/cancel': {
    summary: 'Cancels a reservation for the house.',
    ...act,
    answer: cancelReservationAnswer,
  },
  'POST /api/v1/payments/:id/refund': { summary: 'Tries a refund again.', ...act, answer: refundAnswer },
  'POST /api/v1/notifications/:id/again': {
    summary: 'Sends a mail to its customer once more, under a new Message-ID.',
    ...act,
    answer: sendAgainAnswer,
    problems: ['not-found'],
  },
  'POST /api/v1/videos/:id/fixed': {
    summary: 'A film was put right: it is rendered again, or is where you say.',
    body: fixBody,
    bodyOptional: true,
    answer: videoAnswer,
  },
  'GET /api/v1/races': {
    summary: 'Conflicts that were met and how they ended, newest first.',
    query: racesQuery,
    answer: racesAnswer,
  },
  'GET /api/v1/alerts': {
    summary: 'Alerts, newest first; open ones unless asked otherwise.',
    query: alertsQuery,
    answer: alertsAnswer,
  },
  'GET /api/v1/mails': { summary: 'Mails, newest first.', query: mailsQuery, answer: mailsAnswer },
  'GET /api/v1/money': { summary: 'Whether the books balance.', answer: moneyAnswer },
  'POST /webhooks/stripe': {
    summary: 'Takes an event of the payment provider, by its signature.',
    answer: z.object({ received: z.literal(true), duplicate: z.boolean() }),
    once: byProvider,
  },
  'POST /webhooks/shotstack/:secret': {
    summary: 'Takes a callback of the render provider, by the secret of its path.',
    answer: z.object({ received: z.literal(true), ignored: z.boolean() }),
    once: byProvider,
  },
} satisfies Readonly<Record<string, RouteDescription>>;
