/**
 * The phases of AutoSave, as one table: a fact that has no entry for the phase changes nothing.
 *
 *   awaiting-lock ──granted──> idle ──changed──> debouncing ──settled──> idle
 *   idle, debouncing, error ──saving──> writing-current ──committed──> updating-index ──saved──> idle
 *                                                                      updating-index ──surplus──> gc ──saved──> idle
 *   any but readonly ──failed──> error      any ──lost──> readonly      any ──asked──> awaiting-lock
 *
 * `idle` with unsaved text means: the burst is over, the save is due soon. `disabled` is for good.
 */
export type AutoSavePhase =
  | 'disabled'
  | 'idle'
  | 'debouncing'
  | 'awaiting-lock'
  | 'writing-current'
  | 'updating-index'
  | 'gc'
  | 'readonly'
  | 'error';

/** What happened. */
export type AutoSaveFact =
  /** The right to write is asked for. */
  | 'asked'
  /** It is there, and what was saved before has been looked at. */
  | 'granted'
  /** It is gone, or was not to be had. */
  | 'lost'
  | 'changed'
  | 'settled'
  | 'saving'
  | 'committed'
  | 'surplus'
  | 'saved'
  | 'failed'
  | 'disposed';

const steps: Readonly<Record<AutoSavePhase, Partial<Record<AutoSaveFact, AutoSavePhase>>>> = {
  disabled: {},
  idle: { changed: 'debouncing', saving: 'writing-current', failed: 'error' },
  debouncing: { settled: 'idle', saving: 'writing-current', failed: 'error' },
  'awaiting-lock': { granted: 'idle', failed: 'error' },
  'writing-current': { committed: 'updating-index', failed: 'error' },
  'updating-index': { surplus: 'gc', saved: 'idle', failed: 'error' },
  gc: { saved: 'idle', failed: 'error' },
  readonly: {},
  error: { saving: 'writing-current', failed: 'error' },
};

export function nextPhase(phase: AutoSavePhase, fact: AutoSaveFact): AutoSavePhase {
  if (phase === 'disabled' || fact === 'disposed') return 'disabled';
  if (fact === 'lost') return 'readonly';
  if (fact === 'asked') return 'awaiting-lock';
  return steps[phase][fact] ?? phase;
}
