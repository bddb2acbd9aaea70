/** The states of a project lock and every way between them. What is not in the table does not happen. */
import type { ProjectLockState } from './project-lock.ts';

export type LockStep =
  | 'acquire'
  | 'granted'
  /** Attempts are used up, or there is no point in another. */
  | 'refused'
  | 'aborted'
  | 'renew'
  | 'renewed'
  | 'release'
  | 'released'
  | 'release-failed'
  /** The right is gone: expired, stolen, overruled, cached, or renewing failed. */
  | 'lost';

export const lockStates: Readonly<Record<ProjectLockState, Partial<Readonly<Record<LockStep, ProjectLockState>>>>> = {
  idle: { acquire: 'acquiring' },
  acquiring: { granted: 'held', refused: 'readonly', aborted: 'idle' },
  held: { renew: 'renewing', release: 'releasing', lost: 'readonly' },
  renewing: { renew: 'renewing', renewed: 'held', release: 'releasing', lost: 'readonly' },
  releasing: { released: 'idle', 'release-failed': 'readonly', lost: 'readonly' },
  readonly: { acquire: 'acquiring' },
};

/** Where a step leads, or undefined where it is not allowed. */
export function nextLockState(state: ProjectLockState, step: LockStep): ProjectLockState | undefined {
  return lockStates[state][step];
}
