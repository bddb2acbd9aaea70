import type { Clock, LeaseStore, Logger, Random } from '../core/ports.ts';
import type { Jobs } from '../systems/jobs/index.ts';
import type { Caller } from './authenticate.ts';

export type Readiness = { readonly ready: true } | { readonly ready: false; readonly reason: string };

/** What handlers work with. The server holds no leases of its own: everything is in the store. */
export interface Services {
  readonly store: LeaseStore;
  /** Absent: this server has leases only. */
  readonly jobs: Jobs | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly isReady: () => Promise<Readiness>;
  /** Fires when the server stops: whoever waits is told to come again. */
  readonly stopping: AbortSignal;
  /** Takes a place among the requests and streams that wait; a 503 when all are taken. */
  readonly countWait: () => { done(): void };
}

/** One request that has passed the door. */
export interface Call {
  readonly request: Request;
  readonly query: URLSearchParams;
  /** The named parts of the path, decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** Absent on routes for anyone. */
  readonly caller: Caller | undefined;
  readonly services: Services;
}

export type Handler = (call: Call) => Promise<Response> | Response;
