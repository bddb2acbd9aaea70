/**
 * Tells the database that the worker is there, and hears what it still owns.
 *
 *   answered      what it runs and was not told, it stops; cancels are delivered; runs given by the leader are started
 *   Redis         where there is one, an answered beat is told there too; the row in the database is then written rarely,
 *                 and the deadline counts from when it was
 *   no answer     asked again every `continuation_retry_interval_seconds`
 *   still none    from when the last answered beat was sent, the leader waits until the worker counts as silent and
 *                 its runs were CONFIRMING for their time. Then they are another's: they are stopped before that
 *   frozen        a process that was stopped finds its deadline long past; it asks before it gives up, because the
 *                 database may still call the runs its own
 *   unknown       the worker was given up meanwhile: everything is stopped, and it joins anew under another id
 */
import type { Timer } from '../../../core/ports.ts';
import { confirmingSeconds } from '../job-settings.ts';
import type { JobsContext } from '../jobs-context.ts';

export type WorkerState = 'ACTIVE' | 'DETACHED' | 'DRAINING' | 'STOPPED';

/** A row of the heartbeat's answer. */
export interface OwnedRun {
  readonly id: number;
  readonly state: 'ASSIGNED' | 'RUNNING';
  readonly version: number;
  readonly attempt: number;
  readonly cancel: boolean;
}

export interface HeartbeatLoop {
  /** Now, not only at the next beat. */
  beat(): Promise<void>;
  stop(): Promise<void>;
}

export interface HeartbeatLoopOptions {
  readonly context: JobsContext;
  readonly everyMs: number;
  readonly workerId: () => number;
  /** Runs this process believes it owns. */
  readonly believed: () => readonly number[];
  readonly load: () => number;
  readonly isLeading: () => boolean;
  /** `believed` is what was sent; what of it is not among `owned` is lost. */
  readonly onAnswer: (answer: {
    readonly believed: readonly number[];
    readonly owned: readonly OwnedRun[];
    readonly state: WorkerState;
    readonly others: number;
  }) => void;
  /** The database does not know this worker any more. */
  readonly onUnknown: () => Promise<void>;
  /** No answer for as long as the runs are surely ours. */
  readonly onCutOff: () => void;
}

interface BeatRow extends Omit<OwnedRun, 'id'> {
  readonly worker_state: WorkerState;
  readonly others: number;
  /** Of the row's `seen_at`, seconds. */
  readonly age: number;
  readonly id: number | null;
}

/** Of the silence: older than that, the worker writes its row itself, whatever Redis carries. */
const ownShare = 0.5;
/** A timer that fires this much late tells that the process was stopped. */
const frozenMs = 500;

export function createHeartbeatLoop(options: HeartbeatLoopOptions): HeartbeatLoop {
  const { context, everyMs, workerId } = options;
  const { database, statements, platform, logger, pulse } = context;
  const { clock } = platform;
  let timer: Timer | undefined;
  let guard: Timer | undefined;
  let stopped = false;
  let underWay: Promise<void> | undefined;
  let again = false;
  let answeredMs = clock.monotonicMs();

  /** How long after an answered beat was sent the runs are surely ours. */
  const sureMs = (): number => {
    const settings = context.settings();
    return (settings.worker_silent_after_seconds + confirmingSeconds(settings)) * 1_000;
  };

  const ask = async (): Promise<void> => {
    const sentMs = clock.monotonicMs();
    const id = workerId();
    const believed = options.believed();
    const { worker_silent_after_seconds: silentSeconds } = context.settings();
    const { rows } = await database.query<BeatRow>(
      statements.heartbeat(
        id,
        `{${believed.join(',')}}`,
        options.load(),
        options.isLeading(),
        silentSeconds,
        pulse?.carries ? silentSeconds * ownShare : 0,
      ),
    );
    if (stopped || id !== workerId()) return;
    const [first] = rows;
    // Not of the answer but of the row: by it the leader judges.
    answeredMs = Math.max(answeredMs, sentMs - (first?.age ?? 0) * 1_000);
    if (!first) return options.onUnknown();
    void pulse?.beat(id, options.load(), silentSeconds * 1_000);
    const owned = rows.filter((row): row is BeatRow & OwnedRun => row.id !== null);
    options.onAnswer({ believed, owned, state: first.worker_state, others: first.others });
  };

  const beat = (): Promise<void> => {
    if (underWay) {
      again = true;
      return underWay;
    }
    underWay = beatOnce().finally(() => {
      underWay = undefined;
    });
    return underWay;
  };

  const beatOnce = async (): Promise<void> => {
    do {
      again = false;
      timer?.cancel();
      let nextMs = everyMs;
      try {
        await ask();
        arm();
      } catch (error) {
        nextMs = Math.min(everyMs, context.settings().continuation_retry_interval_seconds * 1_000);
        logger.debug('A heartbeat was not answered', { workerId: workerId(), error });
      }
      if (stopped) return;
      timer = clock.after(nextMs, () => void beat(), { background: true });
    } while (again);
  };

  const arm = (delayMs = answeredMs + sureMs() - clock.monotonicMs()): void => {
    guard?.cancel();
    if (stopped) return;
    const dueMs = clock.monotonicMs() + delayMs;
    guard = clock.after(Math.max(delayMs, 0), () => judge(dueMs), { background: true });
  };

  const judge = (dueMs: number): void => {
    const nowMs = clock.monotonicMs();
    if (nowMs < answeredMs + sureMs()) {
      arm();
      return;
    }
    const { continuation_retry_count: count, continuation_retry_interval_seconds: interval } = context.settings();
    if (nowMs - dueMs > frozenMs) {
      void beat();
      arm(count * interval * 1_000);
      return;
    }
    options.onCutOff();
    arm(sureMs());
  };

  arm();
  timer = clock.after(everyMs, () => void beat(), { background: true });
  return {
    beat,
    async stop() {
      stopped = true;
      timer?.cancel();
      guard?.cancel();
      await underWay;
    },
  };
}
