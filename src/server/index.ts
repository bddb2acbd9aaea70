export { accessMigrations } from './access/access-migrations.ts';
export { type ApiTokenInfo, type ApiTokens, createApiTokens } from './access/create-api-tokens.ts';
export type { CreateTokenReply, TokensReply } from './access/token-contract.ts';
export type { AnalysisTaskReply } from './analysis-task-body.ts';
export { type ApiToken, apiToken, type Role, roles } from './authenticate.ts';
export { type InternalCallers, internalToken } from './authenticate-internal.ts';
export { type BookingConfig, bookingDefaults } from './booking/booking-config.ts';
export { bookingMigrations } from './booking/booking-migrations.ts';
export type { BookingServices, BookingSite } from './booking/booking-services.ts';
export { type Customers, createCustomers } from './booking/create-customers.ts';
export type { CustomerReservation, CustomerState, CustomerStep } from './booking/customer-view.ts';
export { databaseMailbox, type Mailbox, type MailboxEntry } from './booking/database-mailbox.ts';
export { type SharedSandbox, type SharedSandboxOptions, sharedSandbox } from './booking/shared-sandbox.ts';
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
export { changeMigrationsFor } from './changes/change-migrations.ts';
export { type Change, type ChangeTopic, changeTopics } from './changes/change-topics.ts';
export { type ChangeFeed, type ChangeFeedOptions, createChangeFeed } from './changes/create-change-feed.ts';
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
export { type RateLimits, rateLimits } from './door/rate-limits.ts';
export { type FaultResult, readFaultResults } from './fault-results.ts';
export { type GoogleIdentityOptions, googleIdentity, type SigningKey } from './google-identity.ts';
export type {
  AuditReply,
  JobReply,
  ListJobsReply,
  ListRunsReply,
  LogReply,
  PreviewReply,
  PutJobBody,
  RunReply,
  SettingsReply,
  SlotsReply,
  WorkersReply,
} from './job-contract.ts';
export { type Answers, type AnswersOptions, createAnswers } from './once/create-answers.ts';
export { loadPages, type Pages } from './pages.ts';
export type { Problem, ProblemCode } from './problem.ts';
export type {
  GuaranteesReply,
  MatchActReply,
  MatchCountReply,
  OverviewReply,
  RefusalsReply,
  RunCountsReply,
} from './run-contract.ts';
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
