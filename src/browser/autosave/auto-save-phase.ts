/**
 * The phases of AutoSave, as one table: a step that is not in it does not happen.
 *
 *   awaiting-lock → idle → debouncing → writing-current → updating-index → (gc →) idle
 *   any but read-only → error → writing-current      any → readonly → awaiting-lock      any → disabled
 *
 * `debouncing` means: there is unsaved text, and its save is due soon. `disabled` is for good.
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

const steps: Readonly<Record<AutoSavePhase, readonly AutoSavePhase[]>> = {
  disabled: [],
  idle: ['debouncing', 'writing-current'],
  debouncing: ['writing-current'],
  'awaiting-lock': ['idle'],
  'writing-current': ['updating-index'],
  'updating-index': ['gc', 'idle'],
  gc: ['idle'],
  readonly: [],
  error: ['writing-current'],
};

/** `wanted`, where the table allows it; otherwise the phase stays. */
export function nextPhase(phase: AutoSavePhase, wanted: AutoSavePhase): AutoSavePhase {
  const always =
    // The right is lost, or asked for anew, or nobody wants to save any more.
    ['readonly', 'awaiting-lock', 'disabled'].includes(wanted) || (wanted === 'error' && phase !== 'readonly');
  return steps[phase].includes(wanted) || (always && phase !== 'disabled') ? wanted : phase;
}
