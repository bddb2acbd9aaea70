/**
 * Runs that have ended, on their way into the history. One batch is under way; what ends meanwhile is the next. A
 * batch is grouped so that every guard is a scalar: (worker, epoch, version, attempt, end state).
 *
 *   short answer   `refused` says why, and records it; a finish that landed before (its reply was lost) is none
 *   no answer      sent again until the database answers: a finish repeated changes nothing
 *   refused text   the one run with something the database does not take fails with that reason
 */
import { LeaseError } from '../../../core/errors.ts';
import type { JobsContext } from '../jobs-context.ts';
import type { ActiveRun } from './active-run.ts';
import type { RunOutcome } from './run-outcome.ts';

export interface FinishLine {
  add(run: ActiveRun, outcome: RunOutcome): void;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
  readonly size: number;
}

export interface FinishLineOptions {
  readonly context: JobsContext;
  /** Its row is in the history, or was refused for good. */
  readonly onFinished: (run: ActiveRun) => void;
  /** Gives up what cannot be written: the process ends. */
  readonly isClosed: () => boolean;
}

interface Ended {
  readonly run: ActiveRun;
  readonly outcome: RunOutcome;
}

const batchMax = 1_000;
const pauseMs = { first: 25, longest: 1_000 };

export function createFinishLine({ context, onFinished, isClosed }: FinishLineOptions): FinishLine {
  const { database, statements, platform, logger } = context;
  const waiting: Ended[] = [];
  let underWay = 0;
  let working: Promise<void> | undefined;

  const pause = (ms: number): Promise<void> => new Promise((resolve) => void platform.clock.after(ms, resolve));

  const work = async (): Promise<void> => {
    // Handlers that were begun together end together: they are one batch.
    await undefined;
    while (waiting.length > 0) {
      const batch = waiting.length > batchMax ? waiting.splice(0, batchMax) : waiting.splice(0);
      underWay = batch.length;
      await Promise.all(groupsOf(batch).map(sendGroup));
      underWay = 0;
    }
    working = undefined;
  };

  const sendGroup = async (group: readonly Ended[]): Promise<void> => {
    for (let waitMs = pauseMs.first; ; waitMs = Math.min(waitMs * 2, pauseMs.longest)) {
      try {
        await send(group);
        break;
      } catch (error) {
        if (isClosed() || (error instanceof LeaseError && error.code === 'closed')) break;
        if (error instanceof LeaseError && error.retryable) {
          logger.debug('A finish was not answered; sending it again', { runs: group.length, error });
          await pause(waitMs);
          continue;
        }
        await sendSingly(group, error);
        return;
      }
    }
    for (const { run } of group) onFinished(run);
  };

  /** One of them cannot be written: find it, and say so in its run. */
  const sendSingly = async (group: readonly Ended[], cause: unknown): Promise<void> => {
    const [only] = group;
    if (group.length === 1 && only) {
      const failed: RunOutcome = {
        state: 'FAILED',
        reason: 'invalid-result',
        error: 'The database did not take the result of the run.',
        retryDelaySeconds: null,
      };
      if (only.outcome.reason === failed.reason) {
        logger.error('The end of a run could not be stored; the leader ends it as overdue', {
          runId: only.run.id,
          error: cause,
        });
        return;
      }
      logger.warn('A result could not be stored', { runId: only.run.id, error: cause });
      await sendGroup([{ run: only.run, outcome: failed }]);
      return;
    }
    for (const one of group) await sendGroup([one]);
  };

  const send = async (group: readonly Ended[]): Promise<void> => {
    const [first] = group;
    if (!first) return;
    const { claimed, workerId } = first.run;
    const { state } = first.outcome;
    const guards = [
      `{${group.map(({ run }) => run.id).join(',')}}`,
      workerId,
      claimed.leader_epoch,
      claimed.version,
      claimed.attempt,
      state,
    ] as const;
    const failed = state === 'FAILED' || state === 'TIMED_OUT';
    const statement = failed
      ? statements.finishFailed(...guards, failuresJson(group))
      : statements.finish(...guards, resultsJson(group));
    const { rows } = await database.query<{ n: number }>(statement);
    if ((rows[0]?.n ?? 0) === group.length) return;
    const { rows: refusals } = await database.query<{ run_id: number; reason: string }>(statements.refused(...guards));
    for (const { run_id: runId, reason } of refusals) {
      logger.warn('A finish was refused: the run is no longer this worker’s', { runId, reason, state });
    }
  };

  return {
    add(run, outcome) {
      waiting.push({ run, outcome });
      working ??= work();
    },
    async idle() {
      while (working) await working;
    },
    get size() {
      return waiting.length + underWay;
    },
  };
}

function groupsOf(batch: readonly Ended[]): readonly (readonly Ended[])[] {
  const groups: Ended[][] = [];
  let last: Ended[] | undefined;
  for (const ended of batch) {
    // Nearly all of a batch are alike: the group of the one before is tried first.
    if (!last || !endsLike(last[0], ended)) {
      last = groups.find((group) => endsLike(group[0], ended));
      if (!last) {
        last = [];
        groups.push(last);
      }
    }
    last.push(ended);
  }
  return groups;
}

/** Every guard of the finishing statement has one value for both. */
function endsLike(a: Ended | undefined, b: Ended): boolean {
  if (!a) return false;
  const { claimed, workerId } = a.run;
  const { claimed: other } = b.run;
  return (
    a.outcome.state === b.outcome.state &&
    workerId === b.run.workerId &&
    claimed.leader_epoch === other.leader_epoch &&
    claimed.version === other.version &&
    claimed.attempt === other.attempt
  );
}

/** Only runs that have something to say are in it. */
function resultsJson(group: readonly Ended[]): string {
  const parts: string[] = [];
  for (const { run, outcome } of group) {
    const { result, reason, error } = outcome;
    if (result === undefined && reason === undefined && error === undefined) continue;
    const rest = JSON.stringify({ reason, error }).slice(1, -1);
    parts.push(`{"id":${run.id}${result === undefined ? '' : `,"result":${result}`}${rest && `,${rest}`}}`);
  }
  return `[${parts.join(',')}]`;
}

function failuresJson(group: readonly Ended[]): string {
  return JSON.stringify(
    group.map(({ run, outcome }) => ({
      id: run.id,
      reason: outcome.reason ?? null,
      error: outcome.error ?? null,
      delay: outcome.retryDelaySeconds ?? null,
    })),
  );
}
