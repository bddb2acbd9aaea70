export type { AnalysisTaskReply } from './analysis-task-body.ts';
export { type ApiToken, apiToken, type Role, roles } from './authenticate.ts';
export { type InternalCallers, internalToken } from './authenticate-internal.ts';
export type { AnalysisServices, Readiness, SystemServices } from './call.ts';
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
export { type GoogleIdentityOptions, googleIdentity, type SigningKey } from './google-identity.ts';
export type { Problem, ProblemCode } from './problem.ts';
export { type RunningServer, type ServeAppOptions, serveApp } from './serve-app.ts';
