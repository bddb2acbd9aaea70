export { type ApiToken, apiToken, type Role, roles } from './authenticate.ts';
export type { Readiness } from './call.ts';
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
export type { Problem, ProblemCode } from './problem.ts';
export { type RunningServer, type ServeAppOptions, serveApp } from './serve-app.ts';
