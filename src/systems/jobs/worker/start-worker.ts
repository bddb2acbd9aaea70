/**
 * A worker: takes runs, executes their handlers, tells how they ended. See docs/internals/jobs.md.
 *
 *   claimed  RUNNING in the database; waits here for a free slot, 50 ms of work at most
 *   begun    its handler was called
 *   settled  the handler has ended, or was given up after it was told to stop
 *   finished its row is in the history; only then it is forgotten here
 */

import type { KnownDefinition } from '../definition-registry.ts';
import { JobError } from '../job-error.ts';
import type { JobsContext } from '../jobs-context.ts';
import { openSqlTransaction } from '../sql-transaction.ts';
import { applyStandardSchema } from '../standard-schema.ts';
import { ActiveRun, type RunServices, type StopCause } from './active-run.ts';
import { createClaimLoop } from './claim-loop.ts';
import type { ClaimedRun } from './claimed-run.ts';
import { createDeadlines } from './deadlines.ts';
import { failureOutcome } from './failure-outcome.ts';
import { createFinishLine } from './finish-line.ts';
import { createHeartbeatLoop, type OwnedRun, type WorkerState } from './heartbeat-loop.ts';
import { createProgressBoard } from './progress-board.ts';
import { resultOutcome } from './result-outcome.ts';
import type { RunOutcome } from './run-outcome.ts';
import { createWorkMeter } from './work-meter.ts';
import type { JobWorker, WorkerOptions } from './worker-options.ts';

export interface WorkerParts {
  readonly context: JobsContext;
  readonly options: WorkerOptions;
  /** This process leads. */
  readonly isLeading: () => boolean;
}

export async function startWorker({ context, options, isLeading }: WorkerParts): Promise<JobWorker> {
  const { database, statements, platform, logger, definitions } = context;
  const { clock, random } = platform;
  const { concurrency = 10, heartbeatMs = 1_000, pollMs = 250, graceMs = 5_000 } = options;
  check('concurrency', concurrency, 1, 10_000);
  check('heartbeatMs', heartbeatMs, 50, 60_000);
  check('pollMs', pollMs, 10, 60_000);
  check('graceMs', graceMs, 0, 600_000);
  const name = options.name ?? platform.processName;
  const { handled, queueIds } = await chooseWork(context, options);
  const byId = new Map<number, KnownDefinition>(handled.map((known) => [known.id, known]));

  const register = async (): Promise<number> => {
    const { rows } = await database.query<{ id: number }>(
      statements.registerWorker(
        name,
        `{${queueIds.join(',')}}`,
        `{${[...byId.keys()].join(',')}}`,
        concurrency,
        isLeading(),
      ),
    );
    const id = rows[0]?.id;
    if (id === undefined) throw new JobError('The worker could not register.', { code: 'unknown-outcome' });
    return id;
  };

  let workerId = await register();
  let state: WorkerState = 'ACTIVE';
  let others = 0;
  let closed = false;
  /** Everything claimed and not finished. */
  const active = new Map<number, ActiveRun>();
  let ready: ActiveRun[] = [];
  let readyFrom = 0;
  let running = 0;
  let emptied: (() => void)[] = [];
  const meter = createWorkMeter(concurrency);

  const finishes = createFinishLine({ context, isClosed: () => closed, onFinished: forget });
  const progress = createProgressBoard(context, () => workerId);
  const deadlines = createDeadlines(clock, checkDeadlines);

  const services: RunServices = {
    log: (run, line) => context.logs?.append(run.id, run.claimed.attempt, line),
    flushLog: async () => context.logs?.flush(),
    progress: (run, fraction) => progress.note(run.id, fraction),
    async assertOwner(run) {
      if (run.stopped === 'lost' || !(await isOwner(run))) throw notOwner(run);
    },
    async finishIn(run, transaction, result) {
      const outcome = resultOutcome(result);
      if (outcome.state !== 'SUCCEEDED') throw new JobError(outcome.error ?? '', { code: 'invalid-argument' });
      const { id, leader_epoch: epoch, version, attempt } = run.claimed;
      const results = outcome.result === undefined ? '[]' : `[{"id":${id},"result":${outcome.result}}]`;
      const { rows } = await openSqlTransaction(transaction).query<{ n: unknown }>(
        statements.finish(`{${id}}`, run.workerId, epoch, version, attempt, 'SUCCEEDED', results),
      );
      if (Number(rows[0]?.n ?? 0) !== 1) throw notOwner(run);
      run.finishing = true;
    },
  };

  function accept(rows: readonly ClaimedRun[]): void {
    let mixed = false;
    const before = ready.length;
    for (const claimed of rows) {
      const known = byId.get(claimed.job_definition_id) ?? definitions.byId(claimed.job_definition_id);
      const timeoutMs = (known?.stored.timeout_seconds ?? 3_600) * 1_000;
      const run = new ActiveRun(claimed, known?.name ?? '', workerId, timeoutMs, services);
      active.set(claimed.id, run);
      ready.push(run);
      mixed ||= claimed.priority !== rows[0]?.priority;
    }
    // The statement answers in no order of priority.
    if (mixed) {
      const sorted = ready.splice(before).sort((a, b) => a.claimed.priority - b.claimed.priority || a.id - b.id);
      ready.push(...sorted);
    }
    pump();
  }

  function pump(): void {
    while (running < concurrency && readyFrom < ready.length) {
      const run = ready[readyFrom++];
      if (run && !run.settled) begin(run);
    }
    if (readyFrom === ready.length && readyFrom > 0) {
      ready = [];
      readyFrom = 0;
    }
    claims.poke();
  }

  function begin(run: ActiveRun): void {
    running++;
    run.startedMs = clock.monotonicMs();
    deadlines.note(run.startedMs + run.timeoutMs);
    const known = byId.get(run.claimed.job_definition_id);
    let given: unknown;
    try {
      given = execute(run, known);
    } catch (error) {
      settleFailed(run, error);
      return;
    }
    if (isThenable(given)) {
      given.then(
        (result) => settleDone(run, result),
        (error: unknown) => settleFailed(run, error),
      );
    } else {
      settleDone(run, given);
    }
  }

  function execute(run: ActiveRun, known: KnownDefinition | undefined): unknown {
    const handler = known?.defined?.handler;
    if (!known || !handler) {
      throw new JobError(`This worker has no handler for run ${run.id}.`, { code: 'unknown-job', retryable: true });
    }
    const { schema } = known.defined;
    if (!schema) return handler(run);
    const payload = applyStandardSchema(schema, run.claimed.payload, run.job);
    if (payload instanceof Promise) {
      return payload.then((value) => {
        run.payload = value;
        return handler(run);
      });
    }
    run.payload = payload;
    return handler(run);
  }

  function settleDone(run: ActiveRun, result: unknown): void {
    if (run.settled) return;
    if (run.finishing) void settleFinishing(run);
    else settle(run, resultOutcome(result));
  }

  function settleFailed(run: ActiveRun, error: unknown): void {
    if (run.settled) return;
    const known = byId.get(run.claimed.job_definition_id) ?? definitions.byId(run.claimed.job_definition_id);
    if (!known) {
      settle(run, { state: 'FAILED', reason: 'unknown-job', error: String(error) });
      return;
    }
    settle(
      run,
      failureOutcome({
        error,
        stopped: run.stopped,
        attempt: run.claimed.attempt,
        definition: known.stored,
        fraction: random.fraction(),
      }),
    );
  }

  /** The handler says that its transaction has ended the run; only the database knows whether it committed. */
  async function settleFinishing(run: ActiveRun): Promise<void> {
    for (;;) {
      try {
        if (!(await isOwner(run))) {
          leave(run);
          forget(run);
          return;
        }
        settle(run, {
          state: 'FAILED',
          reason: 'finish-rolled-back',
          error: 'The handler returned, but the transaction given to finishIn was not committed.',
          retryDelaySeconds: 0,
        });
        return;
      } catch (error) {
        if (closed) return;
        logger.debug('Asking whether a transaction committed; trying again', { runId: run.id, error });
        await pause(100);
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
    claims.poke();
    if (active.size > 0) return;
    for (const resolve of emptied) resolve();
    emptied = [];
  }

  function stopRun(run: ActiveRun, cause: StopCause): void {
    if (run.settled || run.finishing || !run.stop(cause)) return;
    if (cause === 'cancel') markCancel(run, false);
    // Not begun: nothing has to be waited for. Not ours: nothing is waited for, and nothing is written.
    if (run.startedMs === 0 || cause === 'lost') {
      settleFailed(run, stopReason(run));
      return;
    }
    run.graceEndsMs = clock.monotonicMs() + graceMs;
    deadlines.note(run.graceEndsMs);
  }

  function stopReason(run: ActiveRun): unknown {
    return run.signal.reason;
  }

  function checkDeadlines(nowMs: number): number {
    let nextMs = Number.POSITIVE_INFINITY;
    for (const run of active.values()) {
      if (run.settled || run.startedMs === 0) continue;
      const timeoutAtMs = run.startedMs + run.timeoutMs;
      if (!run.stopped && timeoutAtMs <= nowMs) stopRun(run, 'timeout');
      if (run.graceEndsMs <= nowMs) settleFailed(run, stopReason(run));
      else if (!run.settled) nextMs = Math.min(nextMs, run.stopped ? run.graceEndsMs : timeoutAtMs);
    }
    return nextMs;
  }

  function markCancel(run: ActiveRun, answered: boolean): void {
    database.query(statements.markCancels(`{${run.id}}`, answered)).catch((error: unknown) => {
      logger.debug('How far a cancel has come could not be stored', { runId: run.id, error });
    });
  }

  async function isOwner(run: ActiveRun): Promise<boolean> {
    const { id, leader_epoch: epoch, version, attempt } = run.claimed;
    const { rows } = await database.query(statements.ownsRun(id, run.workerId, epoch, version, attempt));
    return rows.length === 1;
  }

  /** Runs that the leader gave. No row = no start right: nothing is begun. */
  async function startAssigned(given: readonly OwnedRun[]): Promise<void> {
    const versions = new Map<number, number[]>();
    for (const { id, version } of given.slice(0, Math.max(0, concurrency - active.size))) {
      versions.set(version, [...(versions.get(version) ?? []), id]);
    }
    for (const [version, ids] of versions) {
      const { rows } = await database.query<ClaimedRun & { cancel: boolean }>(
        statements.start(`{${ids.join(',')}}`, workerId, version),
      );
      accept(rows);
      for (const row of rows) {
        const run = row.cancel ? active.get(row.id) : undefined;
        if (run) stopRun(run, 'cancel');
      }
    }
  }

  /** A start whose reply was lost may have begun runs that are mine. */
  async function recoverStarts(): Promise<void> {
    const { rows } = await database.query<ClaimedRun>(statements.mine(workerId));
    accept(rows.filter((row) => !active.has(row.id)));
  }

  function room(): number {
    if (state !== 'ACTIVE' || closed) return 0;
    if (isLeading() && others > 0 && !options.workWhileLeading) return 0;
    return meter.room({ running, ready: ready.length - readyFrom, claimed: active.size });
  }

  async function rejoin(): Promise<void> {
    for (const run of active.values()) stopRun(run, 'lost');
    workerId = await register();
    state = closed ? 'STOPPED' : 'ACTIVE';
    logger.info('A worker joined anew', { workerId, name });
    claims.hear({ kind: 'missed' });
  }

  let starting = false;
  const heartbeat = createHeartbeatLoop({
    context,
    everyMs: heartbeatMs,
    workerId: () => workerId,
    believed: () => [...active.values()].filter((run) => run.workerId === workerId).map((run) => run.id),
    load: () => running,
    isLeading,
    onAnswer({ believed, owned, state: told, others: count }) {
      others = count;
      if (told !== state) logger.info('The state of a worker changed', { workerId, from: state, to: told });
      state = told;
      const mine = new Set<number>();
      const given: OwnedRun[] = [];
      for (const run of owned) {
        if (run.state === 'ASSIGNED') given.push(run);
        else mine.add(run.id);
        const known = run.cancel && run.state === 'RUNNING' ? active.get(run.id) : undefined;
        if (known) stopRun(known, 'cancel');
      }
      for (const id of believed) {
        const run = mine.has(id) ? undefined : active.get(id);
        if (run) stopRun(run, 'lost');
      }
      if (given.length > 0 && state === 'ACTIVE' && !starting && !closed) {
        starting = true;
        startAssigned(given)
          .catch(async (error: unknown) => {
            logger.debug('A start was not answered', { workerId, error });
            await recoverStarts();
          })
          .catch(() => undefined)
          .finally(() => {
            starting = false;
          });
      }
      claims.poke();
      void progress.flush();
    },
    async onUnknown() {
      if (!closed) await rejoin();
    },
    onCutOff() {
      logger.warn('A worker has heard nothing from the database for too long; it stops what it runs', { workerId });
      for (const run of active.values()) stopRun(run, 'cut-off');
    },
  });

  const claims = createClaimLoop({
    context,
    queueIds,
    definitionIds: [...byId.keys()],
    workerId: () => workerId,
    room,
    accept,
    isKnown: (id) => active.has(id),
    pollMs,
  });

  const unsubscribe = await context.notices.subscribe((notice) => {
    claims.hear(notice);
    if (notice.kind === 'work' && notice.workerId === workerId) void heartbeat.beat();
    if (notice.kind === 'missed') void heartbeat.beat();
    if (notice.kind === 'cancel' && notice.workerId === workerId) {
      const run = active.get(notice.runId);
      if (run) stopRun(run, 'cancel');
    }
  });

  const untilEmpty = (): Promise<void> =>
    active.size === 0 ? Promise.resolve() : new Promise((resolve) => emptied.push(resolve));
  const pause = (ms: number): Promise<void> => new Promise((resolve) => void clock.after(ms, resolve));

  async function drain(): Promise<void> {
    if (state === 'ACTIVE') {
      state = 'DRAINING';
      await database
        .query(statements.changeWorker(workerId, 'DRAINING', 0, name, 'drained by its process'))
        .catch(() => undefined);
    }
    await untilEmpty();
  }

  let stopping: Promise<void> | undefined;
  async function stop(timeoutMs: number): Promise<void> {
    await claims.stop();
    const done = drain();
    await Promise.race([done, pause(timeoutMs)]);
    if (active.size > 0) {
      for (const run of active.values()) stopRun(run, 'shutdown');
      await Promise.race([done, pause(graceMs + 1_000)]);
    }
    closed = true;
    state = 'STOPPED';
    unsubscribe();
    await heartbeat.stop();
    deadlines.stop();
    await finishes.idle();
    await progress.flush();
    await context.logs?.flush();
    await database.query(statements.stopWorker(workerId)).catch(() => undefined);
  }

  const worker: JobWorker = {
    get id() {
      return workerId;
    },
    get state() {
      return ({ ACTIVE: 'active', DRAINING: 'draining', DETACHED: 'detached', STOPPED: 'stopped' } as const)[state];
    },
    get active() {
      return active.size;
    },
    drain,
    stop({ timeoutMs = 30_000 } = {}) {
      stopping ??= stop(timeoutMs);
      return stopping;
    },
    rejoin,
    async [Symbol.asyncDispose]() {
      await worker.stop();
    },
  };
  return worker;
}

async function chooseWork(
  context: JobsContext,
  options: WorkerOptions,
): Promise<{ readonly handled: readonly KnownDefinition[]; readonly queueIds: readonly number[] }> {
  const all = context.definitions.handled();
  if (!options.queues) return { handled: all, queueIds: [...new Set(all.map(({ queueId }) => queueId))] };
  const queueIds: number[] = [];
  for (const queue of new Set(options.queues)) queueIds.push(await context.definitions.queueId(queue));
  return { handled: all.filter(({ queueId }) => queueIds.includes(queueId)), queueIds };
}

function notOwner(run: ActiveRun): JobError {
  return new JobError(`Run ${run.id} of "${run.job}" is no longer this worker’s; stop and undo what it did.`, {
    code: 'not-owner',
    job: run.job,
    runId: run.id,
  });
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

function check(field: string, value: number, min: number, max: number): void {
  if (Number.isFinite(value) && value >= min && value <= max) return;
  throw new JobError(`${field} of a worker must be a number from ${min} to ${max}, got ${String(value)}.`, {
    code: 'invalid-argument',
  });
}
