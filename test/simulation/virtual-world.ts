/**
 * Virtual time for several processes and one server. Events run in order of time; between two events every promise
 * settles. A stopped process runs nothing until it is resumed (its clocks go on); a crashed one never runs again.
 * Nothing here is real: the same seed gives the same history.
 */
import type { Clock, Random, Timer } from '../../src/core/ports.ts';

export interface SimulatedProcess {
  readonly name: string;
  readonly clock: Clock;
  isAlive(): boolean;
  isStopped(): boolean;
  crash(): void;
  /** SIGSTOP for so long, then SIGCONT. */
  stopFor(ms: number): void;
  /** Someone, or NTP, sets the wall clock. */
  jumpWall(ms: number): void;
  /** The machine sleeps: the wall clock goes on, the monotonic one stands still. */
  sleepMachine(ms: number): void;
}

export interface VirtualWorld {
  readonly random: Random;
  nowMs(): number;
  spawn(name: string, options?: { readonly rate?: number; readonly wallOffsetMs?: number }): SimulatedProcess;
  /** Runs `run` after so long, as part of `process` if given. */
  after(delayMs: number, run: () => void, process?: SimulatedProcess): Timer;
  /** Runs events until none is left, `done` says so, or virtual time is over. `observe` runs after each event. */
  run(options: { readonly untilMs: number; readonly done: () => boolean; readonly observe: () => void }): Promise<void>;
}

interface Event {
  atMs: number;
  readonly order: number;
  readonly process: SimulatedProcess | undefined;
  readonly run: () => void;
  cancelled: boolean;
}

const epochMs = 1_800_000_000_000;

export function createVirtualWorld(random: Random): VirtualWorld {
  const events: Event[] = [];
  const resumeAt = new Map<SimulatedProcess, number>();
  let nowMs = 0;
  let order = 0;

  const push = (event: Event): void => {
    // A binary insertion keeps the list sorted; it stays short.
    let low = 0;
    let high = events.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = events[middle];
      if (other && (other.atMs < event.atMs || (other.atMs === event.atMs && other.order < event.order)))
        low = middle + 1;
      else high = middle;
    }
    events.splice(low, 0, event);
  };

  const world: VirtualWorld = {
    random,
    nowMs: () => nowMs,
    after(delayMs, run, process) {
      const event: Event = { atMs: nowMs + Math.max(0, delayMs), order: order++, process, run, cancelled: false };
      push(event);
      return {
        cancel() {
          event.cancelled = true;
        },
      };
    },
    spawn(name, { rate = 1, wallOffsetMs = 0 } = {}) {
      let alive = true;
      let wallMs = epochMs + wallOffsetMs;
      let sleptMs = 0;
      let asleepFromMs = 0;
      let asleepUntilMs = 0;
      const monotonicMs = (): number => {
        const asleepMs = Math.max(0, Math.min(nowMs, asleepUntilMs) - asleepFromMs);
        return (nowMs - sleptMs - asleepMs) * rate;
      };
      const process: SimulatedProcess = {
        name,
        clock: {
          monotonicMs,
          wallMs: () => Math.floor(wallMs + nowMs * rate),
          after: (delayMs, run) => world.after(delayMs / rate, run, process),
        },
        isAlive: () => alive,
        isStopped: () => nowMs < (resumeAt.get(process) ?? 0),
        crash() {
          alive = false;
        },
        stopFor(ms) {
          resumeAt.set(process, Math.max(resumeAt.get(process) ?? 0, nowMs + ms));
        },
        jumpWall(ms) {
          wallMs += ms;
        },
        sleepMachine(ms) {
          if (nowMs < asleepUntilMs) return;
          sleptMs += asleepUntilMs - asleepFromMs;
          asleepFromMs = nowMs;
          asleepUntilMs = nowMs + ms;
          process.stopFor(ms);
        },
      };
      return process;
    },
    async run({ untilMs, done, observe }) {
      for (let event = events.shift(); event && !done(); event = events.shift()) {
        if (event.cancelled || event.process?.isAlive() === false) continue;
        if (event.atMs > untilMs) {
          nowMs = untilMs;
          return;
        }
        nowMs = Math.max(nowMs, event.atMs);
        if (event.process?.isStopped()) {
          event.atMs = resumeAt.get(event.process) ?? nowMs;
          push(event);
          continue;
        }
        event.run();
        await settlePromises();
        observe();
      }
    },
  };
  return world;
}

/** setImmediate runs only after every promise job that is ready has run, however long the chain. */
function settlePromises(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
