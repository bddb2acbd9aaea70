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

/**
 * `idleMs` after the last change, never inside a burst (`debounceMs`), and at the latest `maxUnsavedMs` after the first
 * change, burst or not. After a failure `maxUnsavedMs` later, so that a full disk is not hammered.
 */
export function scheduleSave(
  { firstChangeMs, lastChangeMs, failedMs }: SaveTimes,
  { debounceMs, idleMs, maxUnsavedMs }: SaveIntervals,
): number | undefined {
  if (firstChangeMs === undefined) return undefined;
  return failedMs === undefined
    ? Math.min(lastChangeMs + Math.max(idleMs, debounceMs), firstChangeMs + maxUnsavedMs)
    : failedMs + maxUnsavedMs;
}
