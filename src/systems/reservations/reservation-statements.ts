/** Every statement of reservations, for one schema. */
import type { SqlStatement } from '../../core/ports.ts';
import { adoptPaymentStatement } from './sql/adopt-payment.ts';
import { adoptRefundStatement } from './sql/adopt-refund.ts';
import { askPaymentStatement } from './sql/ask-payment.ts';
import { attachSessionStatement } from './sql/attach-session.ts';
import { claimEffectsStatement } from './sql/claim-effects.ts';
import { claimEventsStatement } from './sql/claim-events.ts';
import { closeAlertsStatement } from './sql/close-alerts.ts';
import { enqueueEffectStatement } from './sql/enqueue-effect.ts';
import { failRefundStatement } from './sql/fail-refund.ts';
import { findHoldByKeyStatement } from './sql/find-hold-by-key.ts';
import { findOpenPaymentStatement } from './sql/find-open-payment.ts';
import { findPaymentByIntentStatement } from './sql/find-payment-by-intent.ts';
import { findPaymentBySessionStatement } from './sql/find-payment-by-session.ts';
import { findSlotHolderStatement } from './sql/find-slot-holder.ts';
import { finishEffectStatement } from './sql/finish-effect.ts';
import { finishEventStatement } from './sql/finish-event.ts';
import { finishNotificationStatement } from './sql/finish-notification.ts';
import { forgetAlertsStatement } from './sql/forget-alerts.ts';
import { forgetEffectsStatement } from './sql/forget-effects.ts';
import { forgetEventsStatement } from './sql/forget-events.ts';
import { forgetHoldKeysStatement } from './sql/forget-hold-keys.ts';
import { forgetJournalStatement } from './sql/forget-journal.ts';
import { forgetRacesStatement } from './sql/forget-races.ts';
import { insertHoldStatement } from './sql/insert-hold.ts';
import { insertHoldKeyStatement } from './sql/insert-hold-key.ts';
import { insertNotificationStatement } from './sql/insert-notification.ts';
import { insertRenderAttemptStatement } from './sql/insert-render-attempt.ts';
import { listAlertConditionsStatement } from './sql/list-alert-conditions.ts';
import { listAlertsStatement } from './sql/list-alerts.ts';
import { listDayStatement } from './sql/list-day.ts';
import { listEndedWindowsStatement } from './sql/list-ended-windows.ts';
import { listOffendingMoneyStatement } from './sql/list-offending-money.ts';
import { listOpenAlertsStatement } from './sql/list-open-alerts.ts';
import { listOpenDisputesStatement } from './sql/list-open-disputes.ts';
import { listOverdueVouchersStatement } from './sql/list-overdue-vouchers.ts';
import { listRacesStatement } from './sql/list-races.ts';
import { listRefundsStatement } from './sql/list-refunds.ts';
import { listReservationsStatement } from './sql/list-reservations.ts';
import { listStalePaymentsStatement } from './sql/list-stale-payments.ts';
import { listStaleRefundsStatement } from './sql/list-stale-refunds.ts';
import { listUnknownSessionsStatement } from './sql/list-unknown-sessions.ts';
import { listUnsettledOfStatement } from './sql/list-unsettled-of.ts';
import { lockCappedStatement } from './sql/lock-capped.ts';
import { lockDueHoldsStatement } from './sql/lock-due-holds.ts';
import { lockReservationStatement } from './sql/lock-reservation.ts';
import { lockStartingStatement } from './sql/lock-starting.ts';
import { lockVideoStatement } from './sql/lock-video.ts';
import { lockVideoReservationsStatement } from './sql/lock-video-reservations.ts';
import { moveReservationStatement } from './sql/move-reservation.ts';
import { moveVideoStatement } from './sql/move-video.ts';
import { pageRacesStatement } from './sql/page-races.ts';
import { parkEventStatement } from './sql/park-event.ts';
import { raiseAlertStatement } from './sql/raise-alert.ts';
import { readAlertStatement } from './sql/read-alert.ts';
import { readCustomerStatement } from './sql/read-customer.ts';
import { readNotificationStatement } from './sql/read-notification.ts';
import { readNowStatement } from './sql/read-now.ts';
import { readPaymentStatement } from './sql/read-payment.ts';
import { readRefundStatement } from './sql/read-refund.ts';
import { readRenderAttemptStatement } from './sql/read-render-attempt.ts';
import { readReservationStatement } from './sql/read-reservation.ts';
import { readStoryStatement } from './sql/read-story.ts';
import { recordDisputeStatement } from './sql/record-dispute.ts';
import { recordRefundStatement } from './sql/record-refund.ts';
import { recordRenderAttemptStatement } from './sql/record-render-attempt.ts';
import { recordSessionStatement } from './sql/record-session.ts';
import { reopenRefundStatement } from './sql/reopen-refund.ts';
import { repeatNotificationStatement } from './sql/repeat-notification.ts';
import { requestRefundStatement } from './sql/request-refund.ts';
import { reviveEventsStatement } from './sql/revive-events.ts';
import { sendRefundStatement } from './sql/send-refund.ts';
import { settlePaymentStatement } from './sql/settle-payment.ts';
import { storeEventStatement } from './sql/store-event.ts';
import { sumMoneyStatement } from './sql/sum-money.ts';
import { touchPaymentStatement } from './sql/touch-payment.ts';
import { touchRefundStatement } from './sql/touch-refund.ts';
import { writeJournalStatement } from './sql/write-journal.ts';
import { writeRaceStatement } from './sql/write-race.ts';

/** Sent under its name, so that the server parses and plans it once per connection. */
export type NamedStatement = Required<Pick<SqlStatement, 'name' | 'text'>>;

export type ReservationStatements = Readonly<Record<keyof ReturnType<typeof statementTexts>, NamedStatement>>;

/** `schema` is not quoted. */
export function reservationStatements(schema: string): ReservationStatements {
  const named = Object.entries(statementTexts(`"${schema}"`)).map(([key, text]) => [
    key,
    nameStatement(key, schema, text),
  ]);
  return Object.fromEntries(named) as ReservationStatements;
}

/** The server tells names apart by their first 63 bytes: the longest of ours and the longest schema just fit. */
export function nameStatement(key: string, schema: string, text: string): NamedStatement {
  return { name: `${key}_${schema}`, text };
}

/** `schema` is a quoted identifier. */
function statementTexts(schema: string) {
  return {
    adoptPayment: adoptPaymentStatement(schema),
    adoptRefund: adoptRefundStatement(schema),
    askPayment: askPaymentStatement(schema),
    attachSession: attachSessionStatement(schema),
    claimEffects: claimEffectsStatement(schema),
    claimEvents: claimEventsStatement(schema),
    closeAlerts: closeAlertsStatement(schema),
    enqueueEffect: enqueueEffectStatement(schema),
    failRefund: failRefundStatement(schema),
    findHoldByKey: findHoldByKeyStatement(schema),
    findOpenPayment: findOpenPaymentStatement(schema),
    findPaymentByIntent: findPaymentByIntentStatement(schema),
    findPaymentBySession: findPaymentBySessionStatement(schema),
    findSlotHolder: findSlotHolderStatement(schema),
    finishEffect: finishEffectStatement(schema),
    finishEvent: finishEventStatement(schema),
    finishNotification: finishNotificationStatement(schema),
    forgetAlerts: forgetAlertsStatement(schema),
    forgetEffects: forgetEffectsStatement(schema),
    forgetEvents: forgetEventsStatement(schema),
    forgetHoldKeys: forgetHoldKeysStatement(schema),
    forgetJournal: forgetJournalStatement(schema),
    forgetRaces: forgetRacesStatement(schema),
    insertHold: insertHoldStatement(schema),
    insertHoldKey: insertHoldKeyStatement(schema),
    insertNotification: insertNotificationStatement(schema),
    insertRenderAttempt: insertRenderAttemptStatement(schema),
    listAlertConditions: listAlertConditionsStatement(schema),
    listAlerts: listAlertsStatement(schema),
    listDay: listDayStatement(schema),
    listEndedWindows: listEndedWindowsStatement(schema),
    listOffendingMoney: listOffendingMoneyStatement(schema),
    listOpenAlerts: listOpenAlertsStatement(schema),
    listOpenDisputes: listOpenDisputesStatement(schema),
    listOverdueVouchers: listOverdueVouchersStatement(schema),
    listRaces: listRacesStatement(schema),
    listRefunds: listRefundsStatement(schema),
    listReservations: listReservationsStatement(schema),
    listStalePayments: listStalePaymentsStatement(schema),
    listStaleRefunds: listStaleRefundsStatement(schema),
    listUnknownSessions: listUnknownSessionsStatement(schema),
    listUnsettledOf: listUnsettledOfStatement(schema),
    lockCapped: lockCappedStatement(schema),
    lockDueHolds: lockDueHoldsStatement(schema),
    lockReservation: lockReservationStatement(schema),
    lockStarting: lockStartingStatement(schema),
    lockVideo: lockVideoStatement(schema),
    lockVideoReservations: lockVideoReservationsStatement(schema),
    moveReservation: moveReservationStatement(schema),
    moveVideo: moveVideoStatement(schema),
    pageRaces: pageRacesStatement(schema),
    parkEvent: parkEventStatement(schema),
    raiseAlert: raiseAlertStatement(schema),
    readAlert: readAlertStatement(schema),
    readCustomer: readCustomerStatement(schema),
    readNotification: readNotificationStatement(schema),
    readNow: readNowStatement(schema),
    readPayment: readPaymentStatement(schema),
    readRefund: readRefundStatement(schema),
    readRenderAttempt: readRenderAttemptStatement(schema),
    readReservation: readReservationStatement(schema),
    readStory: readStoryStatement(schema),
    recordDispute: recordDisputeStatement(schema),
    recordRefund: recordRefundStatement(schema),
    recordRenderAttempt: recordRenderAttemptStatement(schema),
    recordSession: recordSessionStatement(schema),
    reopenRefund: reopenRefundStatement(schema),
    repeatNotification: repeatNotificationStatement(schema),
    requestRefund: requestRefundStatement(schema),
    reviveEvents: reviveEventsStatement(schema),
    sendRefund: sendRefundStatement(schema),
    settlePayment: settlePaymentStatement(schema),
    storeEvent: storeEventStatement(schema),
    sumMoney: sumMoneyStatement(schema),
    touchPayment: touchPaymentStatement(schema),
    touchRefund: touchRefundStatement(schema),
    writeJournal: writeJournalStatement(schema),
    writeRace: writeRaceStatement(schema),
  } as const;
}
