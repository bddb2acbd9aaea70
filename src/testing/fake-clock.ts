/**
 * Virtual time. Nothing moves until `advance`; then the timers due run in order, and between two of them the promises
 * that wait are given their turns. Clocks made by `fork` share one time line, each with a wall clock and a sleep of
 * its own: processes on several machines.
 */
import type { Clock, Timer } from '../core/ports.ts';

export interface FakeClockOptions {
  /** The wall clock at the start. @default 2024-01-01T00:00:00Z */
  readonly startWallMs?: number;
  /** Lets promises settle between two timers. @default 100 turns of the microtask queue */
  readonly settle?: () => Promise<void>;
}

export interface ForkOptions {
  /** How far this wall clock is ahead of the one it was forked from. @default 0 */
  readonly wallOffsetMs?: number;
}

export interface FakeClock extends Clock {
  /** Moves time on for every clock of the line and runs what falls due. Rejects with what a timer throws. */
  advance(ms: number): Promise<void>;
  /** Moves time on to the next timer of the line and runs it; false when none is set. */
  runNext(): Promise<boolean>;
  /** Somebody sets this wall clock. */
  setWallMs(wallMs: number): void;
  /** This wall clock jumps, by NTP or by hand; monotonic time does not notice. */
  jumpWall(ms: number): void;
  /** The machine sleeps: its wall clock goes on, its monotonic clock and its timers stand still. Others go on. */
  sleepMachine(ms: number): Promise<void>;
  /** How many timers of this clock are set. */
  pendingTimers(): number;
  /** Another machine on the same time line. */
  fork(options?: ForkOptions): FakeClock;
}

/** A clock that a test moves by hand. */
export function fakeClock(options: FakeClockOptions = {}): FakeClock {
  const { startWallMs = 1_704_067_200_000, settle = turnMicrotasks } = options;
  return machineClock(timeLine(settle), startWallMs);
}

interface FakeTimer {
  /** When it falls due on the time line; undefined while its machine sleeps. */
  dueMs(): number | undefined;
  run(): void;
}

interface TimeLine {
  nowMs(): number;
  readonly timers: Set<FakeTimer>;
  advance(ms: number): Promise<void>;
  runNext(): Promise<boolean>;
}

function timeLine(settle: () => Promise<void>): TimeLine {
  const timers = new Set<FakeTimer>();
  let nowMs = 0;
  let moving = false;

  const takeNext = (untilMs: number): FakeTimer | undefined => {
    let next: FakeTimer | undefined;
    let nextMs = untilMs;
    for (const timer of timers) {
      const dueMs = timer.dueMs();
      // A set keeps the order of insertion, so of two timers due together the older one runs first.
      if (dueMs === undefined || dueMs > nextMs || (next && dueMs === nextMs)) continue;
      next = timer;
      nextMs = dueMs;
    }
    if (!next) return undefined;
    timers.delete(next);
    nowMs = Math.max(nowMs, nextMs);
    return next;
  };
  const move = async <T>(work: () => Promise<T>): Promise<T> => {
    if (moving) throw new Error('This fake clock is moving already: await the advance under way first.');
    moving = true;
    try {
      await settle();
      return await work();
    } finally {
      moving = false;
    }
  };
  return {
    nowMs: () => nowMs,
    timers,
    advance: (ms) =>
      move(async () => {
        const untilMs = nowMs + ms;
        for (let timer = takeNext(untilMs); timer; timer = takeNext(untilMs)) {
          timer.run();
          await settle();
        }
        nowMs = untilMs;
        await settle();
      }),
    runNext: () =>
      move(async () => {
        const timer = takeNext(Number.POSITIVE_INFINITY);
        timer?.run();
        await settle();
        return timer !== undefined;
      }),
  };
}

function machineClock(line: TimeLine, wallAtZeroMs: number): FakeClock {
  const timers = new Set<FakeTimer>();
  let wallOffsetMs = wallAtZeroMs;
  let sleptMs = 0;
  let asleepSinceMs: number | undefined;

  const monotonicMs = (): number => (asleepSinceMs ?? line.nowMs()) - sleptMs;
  const wallMs = (): number => wallOffsetMs + line.nowMs();
  return {
    monotonicMs,
    wallMs,
    after(delayMs, run): Timer {
      const atMs = monotonicMs() + Math.max(0, Number.isNaN(delayMs) ? 0 : delayMs);
      const timer: FakeTimer = {
        dueMs: () => (asleepSinceMs === undefined ? atMs + sleptMs : undefined),
        run() {
          timers.delete(timer);
          run();
        },
      };
      timers.add(timer);
      line.timers.add(timer);
      return {
        cancel() {
          timers.delete(timer);
          line.timers.delete(timer);
        },
      };
    },
    advance: (ms) => line.advance(ms),
    runNext: () => line.runNext(),
    setWallMs(wallMs) {
      wallOffsetMs = wallMs - line.nowMs();
    },
    jumpWall(ms) {
      wallOffsetMs += ms;
    },
    async sleepMachine(ms) {
      asleepSinceMs = line.nowMs();
      try {
        await line.advance(ms);
      } finally {
        sleptMs += line.nowMs() - asleepSinceMs;
        asleepSinceMs = undefined;
      }
    },
    pendingTimers: () => timers.size,
    fork: ({ wallOffsetMs: aheadMs = 0 } = {}) => machineClock(line, wallOffsetMs + aheadMs),
  };
}

/** Chains of promises in the engine are some twenty deep; a hundred turns leave room and cost microseconds. */
async function turnMicrotasks(): Promise<void> {
  for (let turn = 0; turn < 100; turn++) await undefined;
}
