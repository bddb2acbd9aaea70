/**
 * The states of a run, as data: what is not declared here happens nowhere. PENDING | ORPHANED → CANCELED and
 * PENDING → SKIPPED go beyond the design note that Kannuki grew from; the rest is its table, never backwards.
 */
import { defineTransitions, listEnds, type TransitionTable } from '../../core/transition.ts';

export type JobState =
  | 'PENDING'
  | 'ASSIGNED'
  | 'RUNNING'
  | 'ORPHANED'
  | 'SUCCEEDED'
  | 'FAILED'
  | 'TIMED_OUT'
  | 'CANCELED'
  | 'SKIPPED';

/** States that nothing follows. */
export type JobEndState = 'SUCCEEDED' | 'FAILED' | 'TIMED_OUT' | 'CANCELED' | 'SKIPPED';

export const jobTransitions: TransitionTable<JobState> = defineTransitions<JobState>({
  states: ['PENDING', 'ASSIGNED', 'RUNNING', 'ORPHANED', 'SUCCEEDED', 'FAILED', 'TIMED_OUT', 'CANCELED', 'SKIPPED'],
  initial: 'PENDING',
  moves: {
    PENDING: { to: ['ASSIGNED', 'CANCELED', 'SKIPPED'] },
    ASSIGNED: { to: ['RUNNING', 'ORPHANED', 'CANCELED'] },
    ORPHANED: { to: ['ASSIGNED', 'CANCELED'] },
    RUNNING: { to: ['SUCCEEDED', 'FAILED', 'TIMED_OUT', 'CANCELED'] },
  },
});

const ends = new Set<JobState>(listEnds(jobTransitions));

/** Nothing follows this state: the run is in the history. */
export function isEndJobState(state: JobState): state is JobEndState {
  return ends.has(state);
}
