import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isDeclared, listReachable } from '../../core/transition.ts';
import { isEndJobState, type JobState, jobTransitions } from './job-state.ts';

describe('jobTransitions', () => {
  it('is the table of the design, with what is ours', () => {
    expect(jobTransitions.next).toEqual({
      PENDING: ['ASSIGNED', 'CANCELED', 'SKIPPED'],
      ASSIGNED: ['RUNNING', 'ORPHANED', 'CANCELED'],
      ORPHANED: ['ASSIGNED', 'CANCELED'],
      RUNNING: ['SUCCEEDED', 'FAILED', 'TIMED_OUT', 'CANCELED'],
      SUCCEEDED: [],
      FAILED: [],
      TIMED_OUT: [],
      CANCELED: [],
      SKIPPED: [],
    });
  });

  it('never goes back: no way leads to PENDING, and none from RUNNING to anything but an end', () => {
    for (const state of jobTransitions.states) expect(listReachable(jobTransitions, state)).not.toContain('PENDING');
    expect(listReachable(jobTransitions, 'RUNNING').every(isEndJobState)).toBe(true);
  });

  it('whatever is asked for, in any order, ends at most once and stays ended', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...jobTransitions.states)), (asked) => {
        let state: JobState = 'PENDING';
        let ends = 0;
        for (const to of asked) {
          if (!isDeclared(jobTransitions, state, to)) continue;
          expect(isEndJobState(state)).toBe(false);
          state = to;
          if (isEndJobState(state)) ends++;
        }
        expect(ends).toBe(isEndJobState(state) ? 1 : 0);
      }),
    );
  });
});
