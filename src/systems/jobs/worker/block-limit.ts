/**
 * How many runs a claim may ask for, by the size of their payloads: a block is answered in one piece. One that could not
 * be answered (a server has its limits, too) is asked for again in halves.
 */
export interface BlockLimit {
  readonly runs: number;
  /** A block of so many runs had so many bytes of payload. */
  note(runs: number, bytes: number): void;
  /** There was no answer. */
  halve(askedRuns: number): void;
}

const bytesMax = 8_000_000;
const noLimit = 10_000;

export function createBlockLimit(): BlockLimit {
  let runs = noLimit;
  return {
    get runs() {
      return runs;
    },
    note(count, bytes) {
      const fits = Math.max(1, Math.floor((bytesMax * count) / Math.max(bytes, 1)));
      // It grows by doubling: the next runs may be larger than these.
      runs = Math.min(noLimit, fits, Math.max(runs * 2, count * 2));
    },
    halve(askedRuns) {
      runs = Math.max(1, Math.floor(Math.min(runs, askedRuns) / 2));
    },
  };
}
