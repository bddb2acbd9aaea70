/**
 * Takes due runs, a block at a time, while the block before it is executed.
 *
 *   position    each queue is claimed from where the last block ended: dead index entries in front of it, which an
 *               open snapshot elsewhere keeps, are not read again and again
 *   look        now and then, beside the claims, the very front is looked at: a run that was committed late, or has
 *               a higher priority, moves the position back
 *   empty       say "wake me", claim once more (an enqueue that did not see it has committed by then), then sleep
 *               until a notice names a position, with the look as floor
 *   no answer   a claim may have started runs that nobody told us of: `mine` lists them before anything else
 */
import type { Timer } from '../../../core/ports.ts';
import type { JobsContext } from '../jobs-context.ts';
import type { JobNotice } from '../notice-line.ts';
import { createBlockLimit } from './block-limit.ts';
import type { ClaimedRun } from './claimed-run.ts';
import { type ClaimRow, readClaim } from './read-claim.ts';

export interface ClaimLoop {
  /** There may be room, or work. */
  poke(): void;
  hear(notice: JobNotice): void;
  /** A start was not answered, either: what is ours and not known is to be found. */
  suspect(): void;
  /** Under way when this resolves: nothing. */
  stop(): Promise<void>;
}

export interface ClaimLoopOptions {
  readonly context: JobsContext;
  readonly queueIds: readonly number[];
  /** Definitions with a handler here. */
  readonly definitionIds: readonly number[];
  readonly workerId: () => number;
  /** How many runs may be claimed now; 0: none. */
  readonly room: () => number;
  readonly accept: (rows: readonly ClaimedRun[]) => void;
  /** Runs `work` while no start of runs that the leader gave is under way. */
  readonly exclusively: <T>(work: () => Promise<T>) => Promise<T>;
  /** Runs that this process knows of. */
  readonly isKnown: (runId: number) => boolean;
  /** Longest sleep while idle. */
  readonly pollMs: number;
}

interface Position {
  readonly priority: number;
  readonly seconds: number;
  readonly id: number;
}

const front: Position = { priority: -32_768, seconds: 0, id: 0 };
const lookEveryMs = 50;
/**
 * A look that takes long (dead entries in front) is taken more rarely: looks share the server with the claims, and at a
 * twentieth of its time they were what made the slowest hundredth of them slow. Up to some seconds they get a hundredth.
 */
const lookShare = 1 / 100;
const lookShareMost = 1 / 20;
const lookPatienceMs = 5_000;

function pauseAfter(lookMs: number): number {
  return Math.max(lookEveryMs, lookMs / lookShareMost, Math.min(lookMs / lookShare, lookPatienceMs));
}

export function createClaimLoop(options: ClaimLoopOptions): ClaimLoop {
  const { context, queueIds, workerId, room, accept, exclusively, isKnown, pollMs } = options;
  const { database, statements, platform, logger } = context;
  const { clock } = platform;
  const definitions = `{${options.definitionIds.join(',')}}`;
  const block = createBlockLimit();
  const positions = new Map<number, Position>(queueIds.map((id) => [id, front]));
  let stopping = false;
  let hungry = false;
  let unknown = false;
  let wake: (() => void) | undefined;
  let poked = false;
  /** Asleep because nothing was there, not because nothing fits. */
  let idle = false;
  let lookAtMs = 0;
  let looking: Promise<void> | undefined;

  /** True: somebody woke us. */
  const sleep = (ms: number): Promise<boolean> =>
    new Promise((resolve) => {
      if (poked || stopping) {
        poked = false;
        resolve(true);
        return;
      }
      let timer: Timer | undefined;
      const done = (woken: boolean): void => {
        wake = undefined;
        timer?.cancel();
        resolve(woken);
      };
      wake = () => done(true);
      timer = clock.after(ms, () => done(false), { background: true });
    });

  const claim = async (queueId: number, limit: number): Promise<number> => {
    const from = positions.get(queueId) ?? front;
    const asked = Math.min(limit, block.runs);
    let rows: readonly ClaimRow[];
    try {
      ({ rows } = await database.query<ClaimRow>(
        statements.claim(asked, workerId(), queueId, definitions, from.priority, from.seconds, from.id),
      ));
    } catch (error) {
      unknown = true;
      block.halve(asked);
      throw error;
    }
    const [row] = rows;
    const runs = readClaim(row);
    if (!row || runs.length === 0) return 0;
    block.note(runs.length, row.bytes ?? 0);
    if (row.at_priority !== null && row.at_seconds !== null && row.at_id !== null)
      positions.set(queueId, { priority: row.at_priority, seconds: row.at_seconds, id: row.at_id });
    accept(runs);
    return runs.length;
  };

  /** Moves a position back if something lies before it. True: something is there. */
  const look = async (): Promise<boolean> => {
    const startedMs = clock.monotonicMs();
    let found = false;
    for (const queueId of queueIds) {
      const { rows } = await database.query<{ priority: number; position: number; id: number }>(
        statements.look(queueId, definitions),
      );
      const [row] = rows;
      if (!row) continue;
      found = true;
      const at: Position = { priority: row.priority, seconds: row.position, id: row.id };
      if (comparePositions(at, positions.get(queueId) ?? front) < 0) positions.set(queueId, at);
    }
    const nowMs = clock.monotonicMs();
    lookAtMs = nowMs + pauseAfter(nowMs - startedMs);
    return found;
  };

  const lookBeside = (): void => {
    if (looking || clock.monotonicMs() < lookAtMs) return;
    looking = look().then(
      () => {
        looking = undefined;
      },
      () => {
        looking = undefined;
        lookAtMs = clock.monotonicMs() + 1_000;
      },
    );
  };

  /**
   * What was started for us and never told. Neither a claim nor a start is under way, so nothing whose reply is still
   * to come can be among it: it would be run twice.
   */
  const recoverUnknown = (): Promise<void> =>
    exclusively(async () => {
      const { rows } = await database.query<ClaimedRun>(statements.mine(workerId()));
      unknown = false;
      accept(rows.filter((row) => !isKnown(row.id)));
    });

  const say = async (wish: boolean): Promise<void> => {
    if (hungry === wish) return;
    await database.query(statements.setHungry(workerId(), wish));
    hungry = wish;
  };

  const round = async (): Promise<void> => {
    if (unknown) await recoverUnknown();
    const limit = room();
    if (limit <= 0) {
      if (hungry) await say(false);
      await sleep(pollMs);
      return;
    }
    let taken = 0;
    for (const queueId of queueIds) taken += await claim(queueId, Math.max(1, limit - taken));
    if (taken > 0) {
      // One who is offered more than it takes need not be told of the next; a trickle it wants to hear of at once.
      if (hungry && taken >= limit) await say(false);
      lookBeside();
      return;
    }
    if (!hungry) {
      await say(true);
      if (await look()) return;
    }
    // Nobody may have named what is there: a run whose time has come, or a notice that was lost. Hence the look.
    for (let woken = false; !woken && !stopping; ) {
      idle = true;
      woken = await sleep(pollMs);
      idle = false;
      if (!woken) woken = await look();
    }
  };

  const run = async (): Promise<void> => {
    for (let failures = 0; !stopping; ) {
      try {
        await round();
        failures = 0;
      } catch (error) {
        failures++;
        logger.debug('A worker could not claim; trying again', { workerId: workerId(), error });
        poked = false;
        await sleep(Math.min(50 * 2 ** failures, 1_000));
      }
    }
    await looking;
  };
  const running = run();

  const poke = (): void => {
    if (wake) wake();
    else poked = true;
  };

  return {
    poke,
    hear(notice) {
      if (notice.kind === 'missed') {
        hungry = false;
        poke();
      }
      if (notice.kind !== 'run' || !positions.has(notice.queueId)) return;
      const at: Position = { priority: notice.priority, seconds: notice.seconds, id: 0 };
      // All that was visible is taken: whatever comes begins here, before or after the position.
      if (idle || comparePositions(at, positions.get(notice.queueId) ?? front) < 0) positions.set(notice.queueId, at);
      idle = false;
      poke();
    },
    suspect() {
      unknown = true;
      poke();
    },
    async stop() {
      stopping = true;
      wake?.();
      await running;
    },
  };
}

function comparePositions(a: Position, b: Position): number {
  return a.priority - b.priority || a.seconds - b.seconds || a.id - b.id;
}
