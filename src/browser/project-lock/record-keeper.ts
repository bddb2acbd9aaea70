/**
 * The only code that touches `project/.lock`. It runs in the worker, and on the page where no worker can be had. It
 * answers with values and never rejects, so that every answer passes between threads as it is.
 */
import { createRecordMutex, type RecordAnswer, type RecordParts } from './record-mutex.ts';
import {
  type AcquireQuery,
  decideAcquire,
  decideRelease,
  decideRenew,
  decideUse,
  isMine,
  type LeaseClaim,
} from './record-rules.ts';
import { tokenFloor } from './token-floor.ts';

/** A lease to keep alive. */
export interface BeatPlan extends LeaseClaim {
  /** As the record has it now. */
  readonly ttlMs: number;
  /** Time between two heartbeats; 0: none, whoever acquired it renews it. */
  readonly everyMs: number;
}

export interface RenewAnswer extends RecordAnswer {
  /** Monotonic time at which the successful attempt began: the new end counts from there. */
  readonly startedMs: number;
}

/** What happens while a lease is renewed: an attempt begins, fails, or a heartbeat is over. */
export interface KeeperReport {
  readonly leaseId: string;
  readonly attempt?: number;
  readonly lateMs?: number;
  readonly failed?: RecordAnswer;
  readonly beat?: RenewAnswer;
}

export interface RecordKeeper {
  acquire(query: AcquireQuery): Promise<RecordAnswer>;
  /** One attempt and two retries; refused with `lease-stale`, `lease-expired` or `renew-failed`. */
  renew(plan: BeatPlan, ttlMs: number): Promise<RenewAnswer>;
  release(claim: LeaseClaim, force?: boolean): Promise<RecordAnswer>;
  /** A look without the mutex. */
  read(): Promise<RecordAnswer>;
  /** Compares the record and stays in the mutex until `leave` with the same ticket. Refused: not in it. */
  enter(claim: LeaseClaim, ticket: string): Promise<RecordAnswer>;
  leave(ticket: string): Promise<void>;
  /** Keeps this lease alive from now on, and no other; undefined: none. `atOnce`: the first heartbeat is now. */
  beat(plan: BeatPlan | undefined, atOnce?: boolean): Promise<void>;
}

/** Clock against clock: a change beyond this means that somebody set the wall clock. */
const jumpMs = 1000;

export function createRecordKeeper(parts: RecordParts, report: (report: KeeperReport) => void): RecordKeeper {
  const { clock } = parts;
  const { run, read } = createRecordMutex(parts);
  // The record keeps whole milliseconds.
  const wallMs = (): number => Math.floor(clock.wallMs());
  const driftMs = (): number => clock.wallMs() - clock.monotonicMs();
  let inside: { readonly ticket: string; readonly leave: () => void } | undefined;
  let planned: BeatPlan | undefined;
  let timer = { cancel(): void {} };

  async function renew(plan: BeatPlan, ttlMs: number, lateMs = 0, revive = false): Promise<RenewAnswer> {
    const { leaseId } = plan;
    for (let attempt = 1; ; attempt++) {
      report({ leaseId, attempt, lateMs: attempt > 1 ? 0 : lateMs });
      const startedMs = clock.monotonicMs();
      const answer = await run(({ record, torn }) =>
        torn ? { refusal: 'fallback-read-failed' } : decideRenew(record, plan, ttlMs, wallMs(), revive),
      );
      const { refusal } = answer;
      if (!refusal || refusal === 'lease-stale' || refusal === 'lease-expired') return { ...answer, startedMs };
      report({ leaseId, failed: answer });
      if (attempt === 2) {
        // Twice in a row: is it still ours at all? A TTL that nobody here asked for says no as well.
        const { record, cause } = await read();
        if (record && !(isMine(record, plan) && [plan.ttlMs, ttlMs].includes(record.ttlMs)))
          return { refusal: 'lease-stale', record, cause, startedMs };
      }
      if (attempt === 3) return { ...answer, refusal: 'renew-failed', startedMs };
      await new Promise<void>((done) => clock.after(500 * attempt, done));
    }
  }

  function arm(plan: BeatPlan, dueMs: number, baseMs: number): void {
    timer = clock.after(Math.min(dueMs - clock.monotonicMs(), jumpMs), () => {
      // A clock that was set forward brings the end nearer, and one set back makes the record look strange: renew now.
      const jumped = Math.abs(driftMs() - baseMs) > jumpMs;
      const lateMs = clock.monotonicMs() - dueMs;
      if (lateMs < 0 && !jumped) arm(plan, dueMs, baseMs);
      else void beatNow(plan, lateMs, jumped);
    });
  }

  async function beatNow(plan: BeatPlan, lateMs: number, revive: boolean): Promise<void> {
    const answer = await renew(plan, plan.ttlMs, lateMs, revive);
    if (planned !== plan) return;
    report({ leaseId: plan.leaseId, beat: answer });
    if (!answer.refusal && plan.everyMs) arm(plan, clock.monotonicMs() + plan.everyMs, driftMs());
  }

  return {
    acquire: (query) =>
      run(async ({ record, torn }, project) => {
        if (torn && !query.rebuild) return { refusal: 'fallback-read-failed' };
        const nowMs = wallMs();
        return decideAcquire(record, query, nowMs, record.n ? 0 : await tokenFloor(project, nowMs));
      }),
    renew: (plan, ttlMs) => renew(plan, ttlMs),
    release: (claim, force) => run(({ record }) => decideRelease(record, claim, force)),
    read,
    enter: (claim, ticket) =>
      new Promise((answer) => {
        void run(async ({ record }) => {
          const decision = decideUse(record, claim, wallMs());
          if (!decision.refusal) {
            answer({});
            await new Promise<void>((leave) => {
              inside = { ticket, leave };
            });
          }
          return decision;
        }).then(answer);
      }),
    async leave(ticket) {
      if (inside?.ticket === ticket) inside.leave();
    },
    async beat(next, atOnce) {
      timer.cancel();
      // A copy: the same plan twice is two plans, and only the later one goes on.
      const plan = next && { ...next };
      planned = plan;
      if (plan && (atOnce || plan.everyMs)) arm(plan, clock.monotonicMs() + (atOnce ? 0 : plan.everyMs), driftMs());
    },
  };
}
