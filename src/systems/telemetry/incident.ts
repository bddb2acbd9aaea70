import type { Phase } from '../../core/rollout/phase.ts';

export type IncidentOutcome = 'rolled-back' | 'proposed' | 'no-earlier-phase';

/** A breach and what was done about it. */
export interface Incident {
  readonly rollout: string;
  /** The version that was found in breach. */
  readonly version: number;
  readonly atMs: number;
  readonly phase: Phase;
  readonly toPhase: Phase | null;
  readonly outcome: IncidentOutcome;
  readonly sessions: number;
  readonly readonlySessions: number;
  readonly threshold: number;
  readonly windowMs: number;
  /** What was run, or what is to be run when it was only proposed. */
  readonly command: string | null;
  readonly output: string | null;
}
