/** How much may be claimed: what the free slots take, and about 50 ms of work in advance. Pure but for its memory. */
export interface WorkMeter {
  /** A run took this long. */
  note(durationMs: number): void;
  room(held: Held): number;
}

export interface Held {
  readonly running: number;
  /** Claimed, and waiting for a slot. */
  readonly ready: number;
  /** All that was claimed and is not in the history yet. */
  readonly claimed: number;
}

const aheadMs = 50;
/** A kill -9 strands what was claimed; larger blocks win little. */
const blockMax = 1_000;
const heldMax = 2 * blockMax;
/** Runs that end within one turn of the event loop take next to nothing; a thousandth of a ms stands for it. */
const shortestMs = 0.001;

export function createWorkMeter(slots: number): WorkMeter {
  let meanMs = aheadMs;
  return {
    note(durationMs) {
      meanMs += (Math.max(durationMs, shortestMs) - meanMs) * 0.05;
    },
    room({ running, ready, claimed }) {
      const ahead = Math.min(blockMax, Math.floor((aheadMs * slots) / meanMs));
      const free = slots - running - ready;
      const wanted = ready < ahead ? Math.max(free, ahead) : Math.max(free, 0);
      // Runs that have ended and are not stored yet count, too: a database that is slow to take them is not asked for more.
      return Math.min(wanted, Math.max(heldMax, slots) - claimed);
    },
  };
}
