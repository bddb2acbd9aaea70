/** Reservations: everything together. Every function takes who asks as its last argument. */

import { platform } from '#platform';
import type { EffectQueue } from '../../core/effect-queue.ts';
import type { Clock, Logger, Random, SqlDatabase } from '../../core/ports.ts';
import { acceptWebhook } from './accept-webhook.ts';
import { systemActor } from './actor.ts';
import { auditMoney } from './audit-money.ts';
import { beginSlots } from './begin-slots.ts';
import { type Calendar, checkCalendar } from './calendar.ts';
import { cancelReservation } from './cancel-reservation.ts';
import { type Alert, type AlertPort, checkAlerts, sendAlert } from './check-alerts.ts';
import { checkFailedRenders } from './check-failed-renders.ts';
import { checkRender } from './check-render.ts';
import { closeSession } from './close-session.ts';
import { effectNames } from './effect-names.ts';
import { expireHolds } from './expire-holds.ts';
import { forgetOld, type RetentionSettings } from './forget-old.ts';
import { confirmReservation, handleCheckoutComplete } from './handle-checkout-complete.ts';
import { handleRenderCallback } from './handle-render-callback.ts';
import { holdSlot } from './hold-slot.ts';
import { listSlots } from './list-slots.ts';
import type { MailPort } from './mail-port.ts';
import { markVideoFixed } from './mark-video-fixed.ts';
import type { PaymentPort } from './payment-port.ts';
import { periodicJobs } from './periodic-jobs.ts';
import { processRefund } from './process-refund.ts';
import type { RaceConditionLog } from './race-log.ts';
import { reservationReader } from './read/reservation-reader.ts';
import { reconcile } from './reconcile.ts';
import { refundPayment } from './refund-payment.ts';
import type { RenderPort } from './render-port.ts';
import { type ReservationSettings, resolveSettings } from './reservation-settings.ts';
import { reservationStatements } from './reservation-statements.ts';
import type { Reservations } from './reservations.ts';
import { type PricedSlot, queryAll, type ReservationsContext, type SlotPrice } from './reservations-context.ts';
import { sendMailAgain } from './send-mail-again.ts';
import { sendNotification } from './send-notification.ts';
import { createSlotLock } from './slot-lock.ts';
import { startCheckout } from './start-checkout.ts';
import { submitRender } from './submit-render.ts';
import { workEvents } from './work-events.ts';

export interface CreateReservationsOptions extends Partial<ReservationSettings> {
  /** Migrated with `reservationMigrations`. */
  readonly database: SqlDatabase;
  /** Does the effects: `kannuki/jobs`, or the built-in `effectTable`. */
  readonly jobs: EffectQueue;
  readonly payments: PaymentPort;
  readonly mail: MailPort;
  readonly render: RenderPort;
  readonly calendar: Calendar;
  readonly price: (slot: PricedSlot) => SlotPrice | Promise<SlotPrice>;
  /** Where alerts are told, besides the table `alerts`. @default nowhere */
  readonly alerts?: AlertPort;
  readonly retention?: RetentionSettings;
  readonly logger?: Logger;
  readonly clock?: Clock;
  readonly random?: Random;
}

export function createReservations(options: CreateReservationsOptions): Reservations {
  return assembleReservations(createContext(options), options);
}

/** Everything that the parts work with, checked. */
export function createContext(options: CreateReservationsOptions): ReservationsContext {
  const { database, jobs, payments, mail, render, price } = options;
  return {
    database,
    sql: reservationStatements(database.schema),
    effects: jobs,
    payments,
    mail,
    render,
    calendar: checkCalendar(options.calendar),
    price,
    settings: resolveSettings(options, payments.minimumSessionMs),
    random: options.random ?? platform.random,
    logger: options.logger,
  };
}

/** The functions over a context. A test hands in one that was tampered with. */
export function assembleReservations(
  c: ReservationsContext,
  options: Pick<CreateReservationsOptions, 'alerts' | 'clock' | 'retention'>,
): Reservations {
  const { database, effects: jobs } = c;
  const { clock = platform.clock } = options;
  jobs.handle(effectNames.alert, (run) => sendAlert(c, options.alerts, run));
  jobs.handle(effectNames.close, (run) => closeSession(c, run));
  jobs.handle(effectNames.mail, (run) => sendNotification(c, run));
  jobs.handle(effectNames.refund, (run) => processRefund(c, run));
  jobs.handle(effectNames.render, (run) => submitRender(c, run));
  jobs.handle(effectNames.renderCheck, (run) => checkRender(c, run));

  const reservations: Omit<Reservations, 'periodic'> = {
    holdSlot: (input, acting) => holdSlot(c, input, acting),
    startCheckout: (id, acting) => startCheckout(c, id, acting),
    handleCheckoutComplete: (session) => handleCheckoutComplete(c, session),
    confirmReservation: (id, session) => confirmReservation(c, id, session),
    cancelReservation: (id, acting) => cancelReservation(c, id, acting),
    checkFailedRenders: () => checkFailedRenders(c),
    expireHolds: () => expireHolds(c),
    beginSlots: () => beginSlots(c),
    processRefund: (paymentId, acting) => refundPayment(c, paymentId, acting),
    withSlotLock: createSlotLock({ database, clock }),
    markVideoFixed: (videoId, fix, acting) => markVideoFixed(c, videoId, fix, acting),
    sendMailAgain: (notificationId, acting) => sendMailAgain(c, notificationId, acting),
    listSlots: (date, acting) => listSlots(c, date, acting),
    acceptWebhook: (input) => acceptWebhook(c, { ...input, nowMs: clock.wallMs() }),
    workEvents: (limits) => workEvents(c, limits),
    handleRenderCallback: (input) => handleRenderCallback(c, input),
    reconcile: () => reconcile(c),
    auditMoney: () => auditMoney(c),
    listRaces: ({ limit = 100 } = {}) => queryAll<RaceConditionLog>(database, c.sql.listRaces, [limit]),
    listAlerts: ({ limit = 100 } = {}) => queryAll<Alert>(database, c.sql.listOpenAlerts, [limit]),
    checkAlerts: () => checkAlerts(c),
    forgetOld: () => forgetOld(c, options.retention),
    read: reservationReader(c),
  };
  return { ...reservations, periodic: periodicJobs(reservations, { actor: systemActor }) };
}
