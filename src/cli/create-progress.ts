import type { Clock } from '../core/ports.ts';

/** Oftener than this nobody reads it. */
const everyMs = 100;

export interface ProgressOptions {
  readonly clock: Clock;
  /** Of the terminal; a longer line would not be overwritten. */
  readonly columns: number;
  write(text: string): void;
}

/** One line on a terminal that is written over; undefined removes it. */
export function createProgress({ clock, columns, write }: ProgressOptions): (line: string | undefined) => void {
  let shownMs = Number.NEGATIVE_INFINITY;
  let shown = false;
  return (line) => {
    if (line === undefined) {
      if (shown) write('\r\u001b[K');
      shown = false;
      return;
    }
    const nowMs = clock.monotonicMs();
    if (nowMs - shownMs < everyMs) return;
    shownMs = nowMs;
    shown = true;
    write(`\r\u001b[K${line.slice(0, Math.max(1, columns - 1))}`);
  };
}
