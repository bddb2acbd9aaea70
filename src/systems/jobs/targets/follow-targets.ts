/**
 * A worker that also runs what is defined in the database alone. It looks for changes now and then; when there are any,
 * a worker with the new handlers takes over and the one before finishes what it has.
 */
import type { Logger, Timer } from '../../../core/ports.ts';
import type { JobHandler } from '../job-handler.ts';
import type { JobsContext } from '../jobs-context.ts';
import type { JobWorker } from '../worker/worker-options.ts';
import { type JobTarget, type TargetPolicy, targetHandler } from './job-target.ts';

const lookEveryMs = 2_000;

export interface FollowTargetsOptions {
  readonly context: JobsContext;
  readonly policy: TargetPolicy;
  /** Starts a worker with the handlers known now. */
  readonly start: () => Promise<JobWorker>;
}

export async function followTargets({ context, policy, start }: FollowTargetsOptions): Promise<JobWorker> {
  const { clock } = context.platform;
  const { logger } = context;
  let seen = await attachTargets(context, policy);
  let current = await start();
  const leaving = new Set<Promise<void>>();
  let timer: Timer | undefined;
  let looking: Promise<void> = Promise.resolve();
  let stopped = false;

  const look = async (): Promise<void> => {
    try {
      const found = await attachTargets(context, policy);
      if (found === seen || stopped) return;
      const before = current;
      current = await start();
      seen = found;
      const left = before.stop();
      leaving.add(left);
      void left.finally(() => leaving.delete(left));
    } catch (error) {
      logger.warn('Definitions could not be read; the next look tries again', { error });
    }
  };
  const lookLater = (): void => {
    timer = clock.after(
      lookEveryMs,
      () => {
        looking = look().then(() => {
          if (!stopped) lookLater();
        });
      },
      { background: true },
    );
  };
  lookLater();

  const worker: JobWorker = {
    get id() {
      return current.id;
    },
    get state() {
      return current.state;
    },
    get active() {
      return current.active;
    },
    drain: () => current.drain(),
    async stop(options) {
      stopped = true;
      timer?.cancel();
      await looking;
      await Promise.all([current.stop(options), ...leaving]);
    },
    rejoin: () => current.rejoin(),
    [Symbol.asyncDispose]: () => worker.stop(),
  };
  return worker;
}

/** Gives every target that this worker may run its handler; what it returns changes when any of them does. */
async function attachTargets({ database, definitions, logger }: JobsContext, policy: TargetPolicy): Promise<string> {
  const { rows } = await database.query<{ name: string; target: JobTarget; queue_id: number; timeout: number }>({
    text: `select name, target, queue_id, timeout_seconds as timeout from "${database.schema}".job_definitions
where target is not null order by id`,
  });
  const runnable = [];
  for (const row of rows) {
    // One that code in this process defines is the code's.
    const defined = definitions.known(row.name)?.defined;
    if (defined?.handler && !defined.attached) continue;
    const handler = handlerOf(row, policy, logger);
    // One that may no longer be run loses the handler it had.
    if (handler || defined?.attached) await definitions.attach(row.name, handler);
    if (handler) runnable.push(row);
  }
  return JSON.stringify(runnable);
}

function handlerOf(
  { name, target }: { readonly name: string; readonly target: JobTarget },
  policy: TargetPolicy,
  logger: Logger,
): JobHandler | undefined {
  try {
    return targetHandler(target, policy);
  } catch (error) {
    logger.warn('The target of a job cannot be run', { job: name, error });
    return undefined;
  }
}
