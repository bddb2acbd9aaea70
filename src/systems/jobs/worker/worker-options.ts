import type { StartedRun } from '../job-handler.ts';
import type { TargetPolicy } from '../targets/job-target.ts';

export interface WorkerOptions {
  /** Queues that it serves, in the order in which they are asked. @default those of the jobs that have a handler here */
  readonly queues?: readonly string[];
  /** Also run commands and http targets that are defined in the database, as far as this allows. @default none */
  readonly targets?: TargetPolicy;
  /** Handlers at the same time. 1 to 10,000. @default 10 */
  readonly concurrency?: number;
  /** Shown to people. @default host and process id */
  readonly name?: string;
  /** Pause between heartbeats. 50 to 60,000. @default 1000 */
  readonly heartbeatMs?: number;
  /** Longest sleep while nothing is due and no notice comes. 10 to 60,000. @default 250 */
  readonly pollMs?: number;
  /** A handler that was told to stop has this long; then its run is ended without it. 0 to 600,000. @default 5000 */
  readonly graceMs?: number;
  /** Stands around each call of a handler, for traces; it must answer with what `work` answers. @default nothing does */
  readonly around?: (run: StartedRun, work: () => unknown) => unknown;
  /** Take runs although this process leads and other workers are there. @default false */
  readonly workWhileLeading?: boolean;
}

export interface StopOptions {
  /** Handlers have this long to end by themselves; then they are told to stop. @default 30000 */
  readonly timeoutMs?: number;
}

export interface JobWorker extends AsyncDisposable {
  /** Of this start; another one after it had to join anew. */
  readonly id: number;
  readonly state: 'active' | 'draining' | 'detached' | 'stopped';
  /** Runs that were claimed and have not ended. */
  readonly active: number;
  /** Takes nothing more and resolves when everything it has is done. */
  drain(): Promise<void>;
  /** Drains, then ends. Doing it twice does nothing. */
  stop(options?: StopOptions): Promise<void>;
  /** After a detach: joins again under a new id. */
  rejoin(): Promise<void>;
}
