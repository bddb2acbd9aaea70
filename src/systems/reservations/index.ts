export type { EffectAnswer, EffectHandler, EffectQueue, EffectRun, EnqueueOptions } from '../../core/effect-queue.ts';
export type { AcceptedWebhook, WebhookInput } from './accept-webhook.ts';
export type { Acting, Actor } from './actor.ts';
export { AppError, type AppErrorCode, type AppErrorOptions, type Locale } from './app-error.ts';
export type { MoneyAudit, MoneyTotals, OffendingMoney } from './audit-money.ts';
export type { BeginSlotsResult } from './begin-slots.ts';
export type { Calendar, CalendarSlot } from './calendar.ts';
export type { CancelResult } from './cancel-reservation.ts';
export type { Alert, AlertPort } from './check-alerts.ts';
export type { CheckFailedRendersResult } from './check-failed-renders.ts';
export { type CreateReservationsOptions, createReservations } from './create-reservations.ts';
export { type EffectTable, type EffectTableOptions, effectTable } from './effect-table.ts';
export type { ExpireHoldsResult } from './expire-holds.ts';
export type { RetentionSettings } from './forget-old.ts';
export type { CheckoutOutcome } from './handle-checkout-complete.ts';
export type { HoldSlotInput, HoldSlotResult } from './hold-slot.ts';
export type { SlotOffer } from './list-slots.ts';
export { type ComposedMail, composeMail } from './mail/compose-mail.ts';
export { messageId } from './mail/message-id.ts';
export type { MailAnswer, MailData, MailMessage, MailPort, MailTemplate } from './mail-port.ts';
export type { VideoFix } from './mark-video-fixed.ts';
export type {
  CreateRefundAnswer,
  CreateRefundRequest,
  CreateSessionRequest,
  PaymentEvent,
  PaymentEventSubject,
  PaymentPort,
  PaymentSession,
  ProviderDispute,
  ProviderRefund,
  WebhookRequest,
} from './payment-port.ts';
export {
  decideRuling,
  printPriorityTable,
  priorityTable,
  type ReservationEvent,
  type ReservationState,
  type ReservationStatus,
  type Ruling,
  reservationEvents,
  reservationStates,
} from './priority-table.ts';
export { type AlertNotice, alertNotice } from './providers/alert-notice.ts';
export { type WebhookEndpoint, type WebhookEndpointOptions, webhookEndpoint } from './providers/webhook-endpoint.ts';
export type { RaceConditionLog } from './race-log.ts';
export type {
  ListReservationsOptions,
  RaceEntry,
  ReservationReader,
} from './read/reservation-reader.ts';
export type { ReservationStory } from './read/reservation-story.ts';
export type { ReservationProblem, ReservationSummary } from './read/reservation-summary.ts';
export type { ReconcileResult } from './reconcile.ts';
export type { RefundResult } from './refund-payment.ts';
export type { RenderCallback, RenderPort, RenderRequest, RenderStatus } from './render-port.ts';
export { reservationMigrations } from './reservation-migrations.ts';
export { reservationMoves } from './reservation-moves.ts';
export type { RefundCause, RefundState } from './reservation-row.ts';
export type { ReservationSettings } from './reservation-settings.ts';
export type { PeriodicJob, Reservations } from './reservations.ts';
export type { PricedSlot, SlotPrice } from './reservations-context.ts';
export { type ContendingState, type Resolution, resolveConflict } from './resolve-conflict.ts';
export type { MailAgain } from './send-mail-again.ts';
export type { WithSlotLock } from './slot-lock.ts';
export type { Checkout } from './start-checkout.ts';
export { decideVideo, printVideoTable, type VideoEvent, type VideoState, videoTable } from './video-table.ts';
export type { WorkedEvents } from './work-events.ts';
