/**
 * A worker: registers, takes runs, executes them in its pool, and asks with every heartbeat what it still owns. A
 * worker id belongs to one start; whoever was given up joins anew under another. See docs/internals/jobs.md.
 */
import type { KnownDefinition } from '../definition-registry.ts';
import { JobError } from '../job-error.ts';
import type { JobsContext } from '../jobs-context.ts';
import { createClaimLoop } from './claim-loop.ts';
import type { ClaimedRun } from './claimed-run.ts';
import { createHeartbeatLoop, type OwnedRun, type WorkerState } from './heartbeat-loop.ts';
import { createProgressBoard } from './progress-board.ts';
import { createRunPool } from './run-pool.ts';
import type { JobWorker, WorkerOptions } from './worker-options.ts';

export interface WorkerParts {
  readonly context: JobsContext;
  readonly options: WorkerOptions;
  /** This process leads. */
  readonly isLeading: () => boolean;
}

export async function startWorker({ context, options, isLeading }: WorkerParts): Promise<JobWorker> {
  const { database, statements, platform, logger } = context;
  const { clock } = platform;
  const { concurrency = 10, heartbeatMs = 1_000, pollMs = 250, graceMs = 5_000 } = options;
  check('concurrency', concurrency, 1, 10_000);
  check('heartbeatMs', heartbeatMs, 50, 60_000);
  check('pollMs', pollMs, 10, 60_000);
  check('graceMs', graceMs, 0, 600_000);
  const name = options.name ?? platform.processName;
  const { definitions, queueIds } = await chooseWork(context, options);
  const handled = new Map<number, KnownDefinition>(definitions.map((known) => [known.id, known]));
  const definitionIds = [...handled.keys()];

  const register = async (): Promise<number> => {
    const queues = `{${queueIds.join(',')}}`;
    const { rows } = await database.query<{ id: number }>(
      statements.registerWorker(name, queues, `{${definitionIds.join(',')}}`, concurrency, isLeading()),
    );
    const id = rows[0]?.id;
    if (id === undefined) throw new JobError('The worker could not register.', { code: 'unknown-outcome' });
    return id;
  };

  let workerId = await register();
  let state: WorkerState = 'ACTIVE';
  let others = 0;
  let closed = false;
  let starting = false;
  const progress = createProgressBoard(context, () => workerId);
  const pool = createRunPool({
    context,
    handled,
    slots: concurrency,
    graceMs,
    workerId: () => workerId,
    progress,
    around: options.around,
    onRoom: () => claims.poke(),
  });

  /** One after the other: starts of what the leader gave, and the search for runs that are ours and not known. */
  let turn: Promise<unknown> = Promise.resolve();
  function exclusively<T>(work: () => Promise<T>): Promise<T> {
    const mine = turn.then(work);
    turn = mine.catch(() => undefined);
    return mine;
  }

  const claims = createClaimLoop({
    context,
    queueIds,
    definitionIds,
    workerId: () => workerId,
    room() {
      if (state !== 'ACTIVE' || closed) return 0;
      // Whoever leads leaves the runs to others, if there are any.
      return isLeading() && others > 0 && !options.workWhileLeading ? 0 : pool.room();
    },
    accept: (rows) => pool.accept(rows),
    exclusively,
    isKnown: (id) => pool.get(id) !== undefined,
    pollMs,
  });

  /** Runs that the leader gave. No row = no start right: nothing is begun. */
  const startAssigned = async (given: readonly OwnedRun[]): Promise<void> => {
    const versions = new Map<number, number[]>();
    for (const { id, version } of given.slice(0, concurrency)) {
      versions.set(version, [...(versions.get(version) ?? []), id]);
    }
    for (const [version, ids] of versions) {
      const { rows } = await database.query<ClaimedRun & { cancel: boolean }>(
        statements.start(`{${ids.join(',')}}`, workerId, version),
      );
      pool.accept(rows, true);
      for (const row of rows) {
        const run = row.cancel ? pool.get(row.id) : undefined;
        if (run) pool.stop(run, 'cancel');
      }
    }
  };

  const rejoin = async (): Promise<void> => {
    pool.stopAll('lost');
    workerId = await register();
    state = closed ? 'STOPPED' : 'ACTIVE';
    logger.info('A worker joined anew', { workerId, name });
    claims.hear({ kind: 'missed' });
  };

  const heartbeat = createHeartbeatLoop({
    context,
    everyMs: heartbeatMs,
    workerId: () => workerId,
    believed: () =>
      pool
        .list()
        .filter((run) => run.workerId === workerId)
        .map((run) => run.id),
    load: () => pool.running,
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
        const known = run.cancel && run.state === 'RUNNING' ? pool.get(run.id) : undefined;
        if (known) pool.stop(known, 'cancel');
      }
      for (const id of believed) {
        const run = mine.has(id) ? undefined : pool.get(id);
        if (run) pool.stop(run, 'lost');
      }
      if (given.length > 0 && state === 'ACTIVE' && !starting && !closed) {
        starting = true;
        exclusively(() => startAssigned(given))
          .catch((error: unknown) => {
            // It may have begun runs that are ours.
            logger.debug('A start was not answered', { workerId, error });
            claims.suspect();
          })
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
      pool.stopAll('cut-off');
    },
  });

  const unsubscribe = await context.notices.subscribe((notice) => {
    claims.hear(notice);
    if (notice.kind === 'missed' || (notice.kind === 'work' && notice.workerId === workerId)) void heartbeat.beat();
    const run = notice.kind === 'cancel' && notice.workerId === workerId ? pool.get(notice.runId) : undefined;
    if (run) pool.stop(run, 'cancel');
  });

  async function drain(): Promise<void> {
    if (state === 'ACTIVE') {
      state = 'DRAINING';
      await database
        .query(statements.changeWorker(workerId, 'DRAINING', 0, name, 'drained by its process'))
        .catch(() => undefined);
    }
    await pool.untilEmpty();
  }

  let stopping: Promise<void> | undefined;
  async function stop(timeoutMs: number): Promise<void> {
    const pause = (ms: number): Promise<void> => new Promise((resolve) => void clock.after(ms, resolve));
    await claims.stop();
    const done = drain();
    await Promise.race([done, pause(timeoutMs)]);
    if (pool.size > 0) {
      pool.stopAll('shutdown');
      await Promise.race([done, pause(graceMs + 1_000)]);
    }
    closed = true;
    state = 'STOPPED';
    unsubscribe();
    await heartbeat.stop();
    await pool.close();
    await progress.flush();
    await context.logs?.flush();
    await database.query(statements.stopWorker(workerId)).catch(() => undefined);
    await context.pulse?.forget(workerId);
  }

  const worker: JobWorker = {
    get id() {
      return workerId;
    },
    get state() {
      return ({ ACTIVE: 'active', DRAINING: 'draining', DETACHED: 'detached', STOPPED: 'stopped' } as const)[state];
    },
    get active() {
      return pool.size;
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
): Promise<{ readonly definitions: readonly KnownDefinition[]; readonly queueIds: readonly number[] }> {
  const all = context.definitions.handled();
  if (!options.queues) return { definitions: all, queueIds: [...new Set(all.map(({ queueId }) => queueId))] };
  const queueIds: number[] = [];
  for (const queue of new Set(options.queues)) queueIds.push(await context.definitions.queueId(queue));
  return { definitions: all.filter(({ queueId }) => queueIds.includes(queueId)), queueIds };
}

function check(field: string, value: number, min: number, max: number): void {
  if (Number.isFinite(value) && value >= min && value <= max) return;
  throw new JobError(`${field} of a worker must be a number from ${min} to ${max}, got ${String(value)}.`, {
    code: 'invalid-argument',
  });
}
