/** The routes of bookings: what customers may, what people of the house may, and what providers call. */
import type { Route } from './route.ts';
import { acceptPaymentWebhook, acceptRenderCallback } from './routes/booking/accept-payment-webhook.ts';
import { cancelOwnReservation } from './routes/booking/cancel-own-reservation.ts';
import { cancelReservation } from './routes/booking/cancel-reservation.ts';
import { getMoney } from './routes/booking/get-money.ts';
import { getOwnReservation } from './routes/booking/get-own-reservation.ts';
import { getStory } from './routes/booking/get-story.ts';
import { holdSlot } from './routes/booking/hold-slot.ts';
import { listAlerts } from './routes/booking/list-alerts.ts';
import { listMails } from './routes/booking/list-mails.ts';
import { listOffers, listSlotDays } from './routes/booking/list-offers.ts';
import { listOwnReservations } from './routes/booking/list-own-reservations.ts';
import { listRaces } from './routes/booking/list-races.ts';
import { listReservations } from './routes/booking/list-reservations.ts';
import { markVideoFixed } from './routes/booking/mark-video-fixed.ts';
import { retryRefund } from './routes/booking/retry-refund.ts';
import { returnFromCheckout } from './routes/booking/return-from-checkout.ts';
import { getSandboxCheckout, pressSandboxCheckout } from './routes/booking/sandbox-checkout.ts';
import { changeSandbox, getSandbox, pressSandboxSession } from './routes/booking/sandbox-sessions.ts';
import { sendMailAgain } from './routes/booking/send-mail-again.ts';
import { startBooking } from './routes/booking/start-booking.ts';
import { startCheckout } from './routes/booking/start-checkout.ts';

const system = 'booking';

export const bookingRoutes = [
  { method: 'POST', path: '/api/v1/booking/session', role: 'anyone', handle: startBooking, system },
  { method: 'GET', path: '/api/v1/booking/days', role: 'customer', handle: listOffers, system },
  { method: 'POST', path: '/api/v1/booking/hold', role: 'customer', handle: holdSlot, system },
  { method: 'GET', path: '/api/v1/booking/reservations', role: 'customer', handle: listOwnReservations, system },
  { method: 'GET', path: '/api/v1/booking/reservations/:id', role: 'customer', handle: getOwnReservation, system },
  {
    method: 'POST',
    path: '/api/v1/booking/reservations/:id/cancel',
    role: 'customer',
    handle: cancelOwnReservation,
    system,
  },
  {
    method: 'POST',
    path: '/api/v1/booking/reservations/:id/checkout',
    role: 'customer',
    handle: startCheckout,
    system,
  },
  {
    method: 'POST',
    path: '/api/v1/booking/reservations/:id/returned',
    role: 'customer',
    handle: returnFromCheckout,
    system,
  },
  { method: 'GET', path: '/api/v1/sandbox/checkout/:session', role: 'customer', handle: getSandboxCheckout, system },
  { method: 'POST', path: '/api/v1/sandbox/checkout/:session', role: 'customer', handle: pressSandboxCheckout, system },
  { method: 'GET', path: '/api/v1/sandbox', role: 'viewer', handle: getSandbox, system },
  { method: 'POST', path: '/api/v1/sandbox', role: 'operator', handle: changeSandbox, system },
  { method: 'POST', path: '/api/v1/sandbox/sessions/:session', role: 'operator', handle: pressSandboxSession, system },
  { method: 'GET', path: '/api/v1/slots', role: 'viewer', handle: listSlotDays, system },
  { method: 'GET', path: '/api/v1/reservations', role: 'viewer', handle: listReservations, system },
  { method: 'GET', path: '/api/v1/reservations/:id', role: 'viewer', handle: getStory, system },
  { method: 'POST', path: '/api/v1/reservations/:id/cancel', role: 'operator', handle: cancelReservation, system },
  { method: 'POST', path: '/api/v1/payments/:id/refund', role: 'operator', handle: retryRefund, system },
  { method: 'POST', path: '/api/v1/videos/:id/fixed', role: 'operator', handle: markVideoFixed, system },
  { method: 'POST', path: '/api/v1/notifications/:id/again', role: 'operator', handle: sendMailAgain, system },
  { method: 'GET', path: '/api/v1/races', role: 'viewer', handle: listRaces, system },
  { method: 'GET', path: '/api/v1/alerts', role: 'viewer', handle: listAlerts, system },
  { method: 'GET', path: '/api/v1/mails', role: 'viewer', handle: listMails, system },
  { method: 'GET', path: '/api/v1/money', role: 'viewer', handle: getMoney, system },
  { method: 'POST', path: '/webhooks/stripe', role: 'anyone', limit: 'none', handle: acceptPaymentWebhook, system },
  {
    method: 'POST',
    path: '/webhooks/shotstack/:secret',
    role: 'anyone',
    limit: 'none',
    handle: acceptRenderCallback,
    system,
  },
] as const satisfies readonly Route[];
