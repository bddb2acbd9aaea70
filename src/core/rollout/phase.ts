/** The phases of a rollout, in order. Rolling back means going to the one before. */
export const phases = ['A-0', 'A-1', 'A-2', 'B-0', 'B-1'] as const;

export type Phase = (typeof phases)[number];

export function isPhase(text: unknown): text is Phase {
  return phases.some((phase) => phase === text);
}

/** Undefined: there is none before the first. */
export function previousPhase(phase: Phase): Phase | undefined {
  return phases[phases.indexOf(phase) - 1];
}

/** Undefined: there is none after the last. */
export function nextPhase(phase: Phase): Phase | undefined {
  return phases[phases.indexOf(phase) + 1];
}
