/**
 * Is the current phase to be rolled back? A pure question over one window's counts. Only the current phase's own
 * visit counts: what a phase did before it was left and entered again says nothing about what runs now.
 */
import { type Phase, previousPhase } from '../../core/rollout/phase.ts';
import type { Rollout } from '../../core/rollout/rollout.ts';

export interface PhaseCounts {
  readonly sessions: number;
  readonly readonlySessions: number;
}

export type Judgement =
  | {
      readonly breach: false;
      readonly why: 'no-sessions' | 'too-few-sessions' | 'within-threshold';
      readonly rate: number;
    }
  | { readonly breach: true; readonly rate: number; readonly threshold: number; readonly to: Phase | undefined };

/** A breach is a rate strictly above the threshold, over at least `minSessions` sessions. */
export function judgeRollout({ phase, settings }: Rollout, { sessions, readonlySessions }: PhaseCounts): Judgement {
  if (sessions === 0) return { breach: false, why: 'no-sessions', rate: 0 };
  const rate = readonlySessions / sessions;
  if (sessions < settings.minSessions) return { breach: false, why: 'too-few-sessions', rate };
  const threshold = settings.thresholds[phase];
  // Compared as products: 1 of 20 is exactly 5 %, which binary fractions cannot say.
  if (readonlySessions * 1_000_000 <= Math.round(threshold * 1_000_000) * sessions)
    return { breach: false, why: 'within-threshold', rate };
  return { breach: true, rate, threshold, to: previousPhase(phase) };
}
