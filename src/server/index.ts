export type { AnalysisTaskReply } from './analysis-task-body.ts';
export { type ApiToken, apiToken, type Role, roles } from './authenticate.ts';
export { type InternalCallers, internalToken } from './authenticate-internal.ts';
export { type BookingConfig, bookingDefaults } from './booking/booking-config.ts';
export { bookingMigrations } from './booking/booking-migrations.ts';
export type { BookingServices, BookingSite } from './booking/booking-services.ts';
export { type Customers, createCustomers } from './booking/create-customers.ts';
export type { CustomerReservation, CustomerState, CustomerStep } from './booking/customer-view.ts';
export { databaseMailbox, type Mailbox, type MailboxEntry } from './booking/database-mailbox.ts';
export type {
  AlertsReply,
  BookingSessionReply,
  CheckoutReply,
  CustomerReservationReply,
  CustomerReservationsReply,
  DayReply,
  DaysReply,
  HoldReply,
  MailsReply,
  MoneyReply,
  RacesReply,
  ReservationsReply,
  SandboxReply,
  SandboxSession,
  SandboxSessionReply,
  ShownReservation,
  StoryReply,
} from './booking-contract.ts';
export type { AnalysisServices, Readiness, SystemServices, TelemetryServices } from './call.ts';
export type {
  AcquireAllBody,
  AcquireBody,
  BreakBody,
  CapabilitiesReply,
  ClaimBody,
  ExplainLossBody,
  ExplainLossReply,
  GrantAllReply,
  GrantReply,
  LeaveBody,
  LeaveReply,
  ListReply,
  NoticeLine,
  RefusalFields,
  ReleaseBody,
  ReleaseReply,
  RenewManyBody,
  RenewManyReply,
  RenewOneBody,
  RenewOneReply,
} from './contract.ts';
export { createServerApp, type ServerApp, type ServerAppOptions } from './create-server-app.ts';
export { defineConfig, type KannukiConfig } from './define-config.ts';
export { type GoogleIdentityOptions, googleIdentity, type SigningKey } from './google-identity.ts';
export { loadPages, type Pages } from './pages.ts';
export type { Problem, ProblemCode } from './problem.ts';
export { type RunningServer, type ServeAppOptions, serveApp } from './serve-app.ts';
export { createSignIn, type SignIn, type SignInOptions } from './sign-in/create-sign-in.ts';
export { ensureSecret } from './sign-in/ensure-secret.ts';
export { signInMigrations } from './sign-in/sign-in-migrations.ts';
export type {
  ClientFlagsReply,
  CollectReply,
  FlagsReply,
  IncidentsReply,
  LockMetricsReply,
} from './telemetry-contract.ts';
