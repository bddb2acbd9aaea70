import type { Clock, LeaseStore, Logger, Random, SqlDatabase } from '../core/ports.ts';
import type { AnalysisReader, AnalysisWorker } from '../systems/analysis/index.ts';
import type { Jobs } from '../systems/jobs/index.ts';
import type { Collector, Reporter, Rollouts } from '../systems/telemetry/index.ts';
import type { ApiTokens } from './access/create-api-tokens.ts';
import type { Caller } from './authenticate.ts';
import type { BookingServices } from './booking/booking-services.ts';
import type { ChangeFeed } from './changes/create-change-feed.ts';
import type { FaultResult } from './fault-results.ts';
import type { Metrics } from './metrics/create-metrics.ts';
import type { Answers } from './once/create-answers.ts';
import type { Answered } from './plain-answer.ts';
import type { Redaction } from './redaction.ts';
import type { OpenapiDocument } from './reference/openapi-shape.ts';
import type { RouteDescription } from './route-description.ts';
import type { SignIn } from './sign-in/create-sign-in.ts';

export type Readiness = { readonly ready: true } | { readonly ready: false; readonly reason: string };

export interface TelemetryServices {
  readonly collector: Collector;
  readonly rollouts: Rollouts;
  readonly reporter: Reporter;
  /** Pages of other origins send it with their events. Absent: only pages of this server may. */
  readonly publishableKey?: string;
}

export interface AnalysisServices {
  readonly worker: AnalysisWorker;
  /** For those who look; absent: nothing is shown. */
  readonly reader?: AnalysisReader;
  /**
   * What a queue hears while somebody else is at it, or when the lock was lost on the way: `retry`, a 409 that makes it
   * come again; `skip`, a 200 that makes it stop, although the one at it may be dead. @default 'retry'
   */
  readonly onLocked?: 'retry' | 'skip';
}

/** Systems a server may have besides leases; routes of one that is absent do not exist. */
export interface SystemServices {
  /** People's sessions; absent: only tokens. */
  readonly signIn?: SignIn;
  /** Tokens that can be made and revoked; absent: only those of the configuration. */
  readonly apiTokens?: ApiTokens;
  readonly analysis?: AnalysisServices;
  readonly booking?: BookingServices;
  readonly telemetry?: TelemetryServices;
  /** Keeps answers under their `Idempotency-Key`; absent: only what the systems themselves keep under it. */
  readonly answers?: Answers;
  /** What tells of changes; absent: no stream. */
  readonly changes?: ChangeFeed;
}

/** What handlers work with. The server holds no leases of its own: everything is in the store. */
export interface Services {
  readonly store: LeaseStore;
  /** Absent: this server has leases only. */
  readonly jobs: Jobs | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** What payloads and results must not show. */
  readonly redaction: Redaction;
  /** The last fault runs of this version, as they were written down. */
  readonly faultResults: () => readonly FaultResult[];
  readonly isReady: () => Promise<Readiness>;
  /** Fires when the server stops: whoever waits is told to come again. */
  readonly stopping: AbortSignal;
  /** Takes a place among the requests and streams that wait; a 503 when all are taken. */
  readonly countWait: () => { done(): void };
  readonly systems: SystemServices;
  readonly metrics: Metrics;
  /** What this server answers to. */
  readonly openapi: () => OpenapiDocument;
  /** Where acts are audited; absent: in the log only. */
  readonly auditDatabase: SqlDatabase | undefined;
  /** The host of this server as browsers know it, if it is not the Host header. */
  readonly publicHost: string | undefined;
}

/** One request that has passed the door. */
export interface Call {
  readonly request: Request;
  /** Of the route: bodies and queries are checked by its schemas and no others. */
  readonly description: RouteDescription;
  readonly query: URLSearchParams;
  /** The named parts of the path, decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** Absent on routes for anyone. */
  readonly caller: Caller | undefined;
  /** Whether the caller would pass the door now; streams ask it again and again. */
  readonly stillMay: () => Promise<boolean>;
  /** The visitor behind a customer's cookie; only on routes for customers. */
  readonly customer: string | undefined;
  /** The address the request came from, where it is known. */
  readonly address: string | undefined;
  /** Names this request in the log and in the answer's `x-request-id`. */
  readonly requestId: string;
  readonly services: Services;
}

export type Handler = (call: Call) => Promise<Answered> | Answered;
