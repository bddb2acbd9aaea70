/**
 * The runs of one worker from claim to history, and the slots in which their handlers are executed.
 *
 *   claimed   RUNNING in the database; waits here for a free slot, 50 ms of work at most
 *   begun     its handler was called
 *   settled   the handler has ended, or was given up after it was told to stop
 *   finished  its row is in the history, or the run is no longer ours; only then it is forgotten here
 */
import type { KnownDefinition } from '../definition-registry.ts';
import { JobError } from '../job-error.ts';
import type { JobsContext } from '../jobs-context.ts';
import { applyStandardSchema } from '../standard-schema.ts';
import { ActiveRun, type StopCause } from './active-run.ts';
import type { ClaimedRun } from './claimed-run.ts';
import { createDeadlines } from './deadlines.ts';
import { failureOutcome } from './failure-outcome.ts';
import { createFinishLine } from './finish-line.ts';
import type { ProgressBoard } from './progress-board.ts';
import { resultOutcome } from './result-outcome.ts';
import type { RunOutcome } from './run-outcome.ts';
import { createRunServices, isOwner } from './run-services.ts';
import { createWorkMeter } from './work-meter.ts';
import type { WorkerOptions } from './worker-options.ts';

export interface RunPool {
  /** Runs started for this worker; `first`: before those that wait. */
  accept(rows: readonly ClaimedRun[], first?: boolean): void;
  stop(run: ActiveRun, cause: StopCause): void;
  stopAll(cause: StopCause): void;
  get(runId: number): ActiveRun | undefined;
  /** Everything claimed and not finished. */
  list(): readonly ActiveRun[];
  readonly size: number;
  /** Handlers under way. */
  readonly running: number;
  /** How many more may be claimed. */
  room(): number;
  /** Resolves when there is nothing. */
  untilEmpty(): Promise<void>;
  /** Gives up what cannot be stored, and resolves when nothing is under way. */
  close(): Promise<void>;
}

export interface RunPoolOptions {
  readonly context: JobsContext;
  /** Definitions with a handler here, by id. */
  readonly handled: ReadonlyMap<number, KnownDefinition>;
  readonly slots: number;
  readonly graceMs: number;
  readonly workerId: () => number;
  readonly progress: ProgressBoard;
  readonly around: WorkerOptions['around'] | undefined;
  /** There may be room now. */
  readonly onRoom: () => void;
}

export function createRunPool(options: RunPoolOptions): RunPool {
  const { context, handled, slots, graceMs, workerId, progress, around, onRoom } = options;
  const { database, statements, platform, logger, definitions } = context;
  const { clock, random } = platform;
  const active = new Map<number, ActiveRun>();
  let ready: ActiveRun[] = [];
  let readyFrom = 0;
  let running = 0;
  let closed = false;
  let emptied: (() => void)[] = [];
  const meter = createWorkMeter(slots);
  const services = createRunServices(context, progress);
  const finishes = createFinishLine({ context, isClosed: () => closed, onFinished: forget });
  const deadlines = createDeadlines(clock, checkDeadlines);

  function accept(rows: readonly ClaimedRun[], first = false): void {
    const taken: ActiveRun[] = [];
    for (const claimed of rows) {
      if (active.has(claimed.id)) continue;
      const known = handled.get(claimed.job_definition_id) ?? definitions.byId(claimed.job_definition_id);
      const timeoutMs = (known?.stored.timeout_seconds ?? 3_600) * 1_000;
      const run = new ActiveRun(claimed, known?.name ?? '', workerId(), timeoutMs, services);
      active.set(claimed.id, run);
      taken.push(run);
    }
    // The statement answers in no order of priority.
    if (taken.some(({ claimed }) => claimed.priority !== taken[0]?.claimed.priority))
      taken.sort((a, b) => a.claimed.priority - b.claimed.priority || a.id - b.id);
    if (first) ready.splice(readyFrom, 0, ...taken);
    else ready.push(...taken);
    pump();
  }

  function pump(): void {
    while (running < slots && readyFrom < ready.length) {
      const run = ready[readyFrom++];
      if (run && !run.settled) begin(run);
    }
    if (readyFrom === ready.length && readyFrom > 0) {
      ready = [];
      readyFrom = 0;
    }
    onRoom();
  }

  function begin(run: ActiveRun): void {
    running++;
    run.startedMs = clock.monotonicMs();
    deadlines.note(run.startedMs + run.timeoutMs);
    let given: unknown;
    try {
      const known = handled.get(run.claimed.job_definition_id);
      given = around ? around(run.run, () => execute(run, known)) : execute(run, known);
    } catch (error) {
      settleFailed(run, error);
      return;
    }
    if (!isThenable(given)) {
      settleDone(run, given);
      return;
    }
    given.then(
      (result) => settleDone(run, result),
      (error: unknown) => settleFailed(run, error),
    );
  }

  function settleDone(run: ActiveRun, result: unknown): void {
    if (run.settled) return;
    if (run.finishing) void settleFinishing(run);
    else settle(run, resultOutcome(result));
  }

  function settleFailed(run: ActiveRun, error: unknown): void {
    if (run.settled) return;
    const { job_definition_id: definitionId, attempt } = run.claimed;
    const known = handled.get(definitionId) ?? definitions.byId(definitionId);
    const { stopped } = run;
    settle(
      run,
      known
        ? failureOutcome({ error, stopped, attempt, definition: known.stored, fraction: random.fraction() })
        : { state: 'FAILED', reason: 'unknown-job', error: String(error) },
    );
  }

  /** The handler says that its transaction has ended the run; only the database knows whether it committed. */
  async function settleFinishing(run: ActiveRun): Promise<void> {
    while (!closed) {
      try {
        if (await isOwner(context, run)) settle(run, rolledBack);
        else {
          leave(run);
          forget(run);
        }
        return;
      } catch (error) {
        logger.debug('Asking whether a transaction committed; trying again', { runId: run.id, error });
        await new Promise<void>((resolve) => void clock.after(100, resolve));
      }
    }
  }

  function settle(run: ActiveRun, outcome: RunOutcome): void {
    if (run.stopped === 'cancel') markCancel(run, true);
    leave(run);
    if (run.stopped === 'lost') forget(run);
    else finishes.add(run, outcome);
    pump();
  }

  function leave(run: ActiveRun): void {
    if (run.settled) return;
    run.settled = true;
    progress.drop(run.id);
    if (run.startedMs === 0) return;
    running--;
    meter.note(clock.monotonicMs() - run.startedMs);
  }

  function forget(run: ActiveRun): void {
    if (active.get(run.id) === run) active.delete(run.id);
    onRoom();
    if (active.size > 0) return;
    for (const resolve of emptied) resolve();
    emptied = [];
  }

  function stop(run: ActiveRun, cause: StopCause): void {
    if (run.settled || run.finishing || !run.stop(cause)) return;
    if (cause === 'cancel') markCancel(run, false);
    // Not begun: nothing has to be waited for. Not ours: nothing is waited for, and nothing is written.
    if (run.startedMs === 0 || cause === 'lost') {
      settleFailed(run, run.signal.reason);
      return;
    }
    run.graceEndsMs = clock.monotonicMs() + graceMs;
    deadlines.note(run.graceEndsMs);
  }

  function checkDeadlines(nowMs: number): number {
    let nextMs = Number.POSITIVE_INFINITY;
    for (const run of active.values()) {
      if (run.settled || run.startedMs === 0) continue;
      const timeoutAtMs = run.startedMs + run.timeoutMs;
      if (!run.stopped && timeoutAtMs <= nowMs) stop(run, 'timeout');
      if (run.graceEndsMs <= nowMs) settleFailed(run, run.signal.reason);
      else if (!run.settled) nextMs = Math.min(nextMs, run.stopped ? run.graceEndsMs : timeoutAtMs);
    }
    return nextMs;
  }

  function markCancel(run: ActiveRun, answered: boolean): void {
    database.query(statements.markCancels(`{${run.id}}`, answered)).catch((error: unknown) => {
      logger.debug('How far a cancel has come could not be stored', { runId: run.id, error });
    });
  }

  return {
    accept,
    stop,
    stopAll(cause) {
      for (const run of active.values()) stop(run, cause);
    },
    get: (runId) => active.get(runId),
    list: () => [...active.values()],
    get size() {
      return active.size;
    },
    get running() {
      return running;
    },
    room: () => meter.room({ running, ready: ready.length - readyFrom, claimed: active.size }),
    untilEmpty: () => (active.size === 0 ? Promise.resolve() : new Promise((resolve) => emptied.push(resolve))),
    async close() {
      closed = true;
      deadlines.stop();
      await finishes.idle();
    },
  };
}

const rolledBack: RunOutcome = {
  state: 'FAILED',
  reason: 'finish-rolled-back',
  error: 'The handler returned, but the transaction given to finishIn was not committed.',
  retryDelaySeconds: 0,
};

function execute(run: ActiveRun, known: KnownDefinition | undefined): unknown {
  const handler = known?.defined?.handler;
  if (!known || !handler) {
    throw new JobError(`This worker has no handler for run ${run.id}.`, { code: 'unknown-job', retryable: true });
  }
  const { schema } = known.defined;
  if (!schema) return handler(run);
  const payload = applyStandardSchema(schema, run.claimed.payload, run.job);
  if (!(payload instanceof Promise)) {
    run.payload = payload;
    return handler(run);
  }
  return payload.then((value) => {
    run.payload = value;
    return handler(run);
  });
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
