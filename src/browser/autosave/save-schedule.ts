/** When the next save is due. Pure: the shell keeps the times and sets one timer. */
export interface SaveTimes {
  /** The first change that is not saved yet; undefined: everything is saved. */
  readonly firstChangeMs: number | undefined;
  readonly lastChangeMs: number;
  /** When the last save failed; undefined: it did not. */
  readonly failedMs: number | undefined;
}

export interface SaveIntervals {
  readonly debounceMs: number;
  readonly idleMs: number;
  readonly maxUnsavedMs: number;
}

/** `settle`: the burst of changes is over. `save`: write now. */
export interface ScheduledStep {
  readonly step: 'settle' | 'save';
  readonly atMs: number;
}

/**
 * A save is due `idleMs` after the last change, and at the latest `maxUnsavedMs` after the first one; after a failure
 * `maxUnsavedMs` later, so that a full disk is not hammered. Before that, the burst settles `debounceMs` after its
 * last change; `settled` says that it has.
 */
export function planNextStep(times: SaveTimes, intervals: SaveIntervals, settled: boolean): ScheduledStep | undefined {
  const { firstChangeMs, lastChangeMs, failedMs } = times;
  if (firstChangeMs === undefined) return undefined;
  const { debounceMs, idleMs, maxUnsavedMs } = intervals;
  const saveMs =
    failedMs === undefined
      ? Math.min(lastChangeMs + Math.max(idleMs, debounceMs), firstChangeMs + maxUnsavedMs)
      : failedMs + maxUnsavedMs;
  const settleMs = lastChangeMs + debounceMs;
  return settled || settleMs >= saveMs ? { step: 'save', atMs: saveMs } : { step: 'settle', atMs: settleMs };
}
