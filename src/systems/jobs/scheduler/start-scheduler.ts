/**
 * Leads when it can. The lease `scheduler/leader` says who leads; its token is the epoch. A new leader raises the
 * fence `jobs` to its epoch before it reads anything, so that no statement of the one before can still land between
 * what it reads and what it writes. A leader that cannot renew stops before its lease can be taken: the lease's
 * signal ends the loop, and the fence holds back whatever is still under way.
 */
import { LeaseError } from '../../../core/errors.ts';
import type { Timer } from '../../../core/ports.ts';
import type { Leases } from '../../../engine/lease-keeper.ts';
import { JobError } from '../job-error.ts';
import type { JobsContext } from '../jobs-context.ts';
import { runLeaderTick } from './leader-tick.ts';

export const leaderKey = 'scheduler/leader';
/** After the moment that the database named, so that it has surely passed. */
const slackMs = 5;
/** Between two patrols. */
const shortestMs = 20;

export interface SchedulerOptions {
  /** Pause between ticks; notices wake it sooner. 10 to 60,000. @default 1000 */
  readonly tickMs?: number;
  /** How long leadership lasts unless renewed: so long nobody leads after a crash. 200 to 600,000. @default 10000 */
  readonly leaseTtlMs?: number;
}

export interface JobScheduler extends AsyncDisposable {
  /** This one leads now. */
  readonly leading: boolean;
  /** The token of its lease, while it leads. */
  readonly epoch: number | undefined;
  /** Resolves when it leads, or was stopped. */
  untilLeading(): Promise<void>;
  /** Gives leadership back. Doing it twice does nothing. */
  stop(): Promise<void>;
}

export interface SchedulerParts {
  readonly context: JobsContext;
  readonly leases: Leases;
  readonly options: SchedulerOptions;
}

export async function startScheduler({ context, leases, options }: SchedulerParts): Promise<JobScheduler> {
  const { database, statements, platform, logger, notices } = context;
  const { clock } = platform;
  const { tickMs = 1_000, leaseTtlMs = 10_000 } = options;
  check('tickMs', tickMs, 10, 60_000);
  check('leaseTtlMs', leaseTtlMs, 200, 600_000);
  const stopping = new AbortController();
  let epoch: number | undefined;
  let waiting: (() => void)[] = [];
  let wake: (() => void) | undefined;
  let poked = false;

  const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      if (poked || signal.aborted || stopping.signal.aborted) {
        poked = false;
        resolve();
        return;
      }
      let timer: Timer | undefined;
      const done = (): void => {
        wake = undefined;
        timer?.cancel();
        signal.removeEventListener('abort', done);
        resolve();
      };
      wake = done;
      timer = clock.after(ms, done, { background: true });
      signal.addEventListener('abort', done, { once: true });
    });

  const unsubscribe = await notices.subscribe((notice) => {
    if (notice.kind !== 'lead' && notice.kind !== 'missed' && notice.kind !== 'settings') return;
    if (wake) wake();
    else poked = true;
  });

  /** False: a later leader has been here. */
  const raiseFence = async (token: number): Promise<boolean> => {
    const { rows } = await database.query(statements.raiseFence(token));
    return rows.length === 1;
  };

  const lead = async (token: number, signal: AbortSignal): Promise<void> => {
    if (!(await raiseFence(token))) return;
    epoch = token;
    logger.info('This process leads the jobs', { epoch });
    for (const resolve of waiting) resolve();
    waiting = [];
    let patrolMs = clock.monotonicMs();
    let dueMs: readonly number[] = [];
    while (!signal.aborted && !stopping.signal.aborted) {
      let more = false;
      let pauseMs = tickMs;
      try {
        const patrol = clock.monotonicMs() >= patrolMs;
        const tick = await runLeaderTick(context, token, { patrol });
        more = tick.more;
        const nowMs = clock.monotonicMs();
        if (patrol && !more) {
          // A silence or a deadline is not found a tick late: the patrol comes when it ends.
          dueMs = [...dueMs.filter((atMs) => atMs > nowMs), ...tick.dueInMs.map((ms) => nowMs + ms + slackMs)];
          patrolMs = Math.max(nowMs + shortestMs, Math.min(nowMs + tickMs * 0.9, ...dueMs));
        }
        pauseMs = Math.max(1, Math.min(tickMs, patrolMs - nowMs));
      } catch (error) {
        logger.warn('A tick of the leader failed; the next one tries again', { epoch, error });
      }
      if (!more) await sleep(pauseMs, signal);
    }
  };

  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        const outcome = await leases.acquire(leaderKey, { ttlMs: leaseTtlMs, signal: stopping.signal });
        if (!outcome.acquired) continue;
        const { lease } = outcome;
        try {
          await lead(lease.token, lease.signal);
        } finally {
          if (epoch !== undefined) logger.info('This process no longer leads the jobs', { epoch });
          epoch = undefined;
          await lease.release();
        }
      } catch (error) {
        if (stopping.signal.aborted || (error instanceof LeaseError && error.code === 'closed')) break;
        logger.warn('Leadership could not be asked for; trying again', { error });
      }
      // Neither a failing store nor a lost lease is asked without a pause.
      await sleep(Math.min(tickMs, 500), stopping.signal);
    }
  };
  const running = run();

  let stopped: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    stopping.abort();
    wake?.();
    for (const resolve of waiting) resolve();
    unsubscribe();
    await running;
  };

  const scheduler: JobScheduler = {
    get leading() {
      return epoch !== undefined;
    },
    get epoch() {
      return epoch;
    },
    untilLeading: () =>
      epoch !== undefined || stopping.signal.aborted
        ? Promise.resolve()
        : new Promise((resolve) => waiting.push(resolve)),
    stop() {
      stopped ??= stop();
      return stopped;
    },
    async [Symbol.asyncDispose]() {
      await scheduler.stop();
    },
  };
  return scheduler;
}

function check(field: string, value: number, min: number, max: number): void {
  if (Number.isFinite(value) && value >= min && value <= max) return;
  throw new JobError(`${field} of a scheduler must be a number from ${min} to ${max}, got ${String(value)}.`, {
    code: 'invalid-argument',
  });
}
