/**
 * The only code that changes `project/.lock`. It runs in the worker, and on the page where no worker can be had. It
 * answers with values and never rejects, so that every answer passes between threads as it is.
 */
import type { Clock, Timer } from '../../core/ports.ts';
import type { OpenRecord } from './open-record.ts';
import type { OpenFiles } from './ports.ts';
import { createRecordMutex, type RecordAnswer } from './record-mutex.ts';
import {
  type AcquireQuery,
  decideAcquire,
  decideRelease,
  decideRenew,
  decideUse,
  type LeaseClaim,
} from './record-rules.ts';

/** A lease to keep alive. */
export interface BeatPlan extends LeaseClaim {
  readonly ttlMs: number;
  /** Time between two heartbeats; 0: none, whoever acquired it renews it. */
  readonly everyMs: number;
}

/**
 * An attempt to renew begins, or is over: then the answer is there. `startedMs`: the monotonic time at which it began, from
 * which the new end counts.
 */
export type ReportAttempt = (
  leaseId: string,
  attempt: number,
  lateMs: number,
  startedMs: number,
  answer?: RecordAnswer,
) => void;

export interface RecordKeeper {
  acquire(query: AcquireQuery): Promise<RecordAnswer>;
  release(claim: LeaseClaim, force?: boolean): Promise<RecordAnswer>;
  /** Compares the record and stays in the mutex until `leave` with the same ticket. Refused: not in it. */
  enter(claim: LeaseClaim, ticket: string): Promise<RecordAnswer>;
  leave(ticket: string): Promise<void>;
  /**
   * Keeps this lease alive from now on, and no other; undefined: none. `atOnce`: the first heartbeat is now. A heartbeat
   * is one attempt and at most two retries.
   */
  beat(plan: BeatPlan | undefined, atOnce?: boolean): Promise<void>;
}

/** Clock against clock: a change beyond this means that somebody set the wall clock. */
const jumpMs = 1000;

export function createRecordKeeper(
  files: OpenFiles,
  open: OpenRecord,
  clock: Clock,
  fraction: () => number,
  report: ReportAttempt,
): RecordKeeper {
  const run = createRecordMutex(files, open, clock, fraction);
  // The record keeps whole milliseconds.
  const wallMs = (): number => Math.floor(clock.wallMs());
  const driftMs = (): number => clock.wallMs() - clock.monotonicMs();
  let insideTicket: string;
  let leaveInside = (): void => {};
  let planned: BeatPlan | undefined;
  let timer: Timer | undefined;

  function beatIn(delayMs: number, plan: BeatPlan, attempt = 1, revive = false): void {
    const dueMs = clock.monotonicMs() + delayMs;
    const baseMs = driftMs();
    const look = (): void => {
      // A clock that was set forward brings the end nearer, and one set back makes the record look strange: renew now.
      const jumped = Math.abs(driftMs() - baseMs) > jumpMs;
      const lateMs = clock.monotonicMs() - dueMs;
      if (lateMs < 0 && !jumped) timer = clock.after(Math.min(-lateMs, jumpMs), look);
      else void beatNow(plan, attempt, lateMs, revive || jumped);
    };
    look();
  }

  async function beatNow(plan: BeatPlan, attempt: number, lateMs: number, revive: boolean): Promise<void> {
    const { leaseId, ttlMs, everyMs } = plan;
    const startedMs = clock.monotonicMs();
    report(leaseId, attempt, lateMs, startedMs);
    const answer = await run((record) => decideRenew(record, plan, ttlMs, wallMs(), revive));
    if (planned !== plan) return;
    report(leaseId, attempt, lateMs, startedMs, answer);
    const [, refusal] = answer;
    if (!refusal) {
      if (everyMs) beatIn(everyMs, plan);
    } else if (attempt < 3 && !/^lease/.test(refusal)) beatIn(500 * attempt, plan, attempt + 1, revive);
  }

  return {
    acquire: (query) => run((record) => decideAcquire(record, query, wallMs())),
    release: (claim, force) => run((record) => decideRelease(record, claim, force)),
    enter: (claim, ticket) =>
      new Promise((answer) => {
        void run(async (record) => {
          const refusal = decideUse(record, claim, wallMs());
          if (!refusal) {
            answer([]);
            await new Promise<void>((leave) => {
              insideTicket = ticket;
              leaveInside = leave;
            });
          }
          return refusal;
        }).then(answer);
      }),
    async leave(ticket) {
      if (insideTicket === ticket) leaveInside();
    },
    async beat(next, atOnce) {
      timer?.cancel();
      // A copy: the same plan twice is two plans, and only the later one goes on.
      planned = next && { ...next };
      if (planned && (atOnce || planned.everyMs)) beatIn(atOnce ? 0 : planned.everyMs, planned);
    },
  };
}
