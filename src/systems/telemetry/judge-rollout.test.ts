import { describe, expect, it } from 'vitest';
import type { Phase } from '../../core/rollout/phase.ts';
import { defaultRolloutSettings, type Rollout } from '../../core/rollout/rollout.ts';
import { judgeRollout } from './judge-rollout.ts';

const inPhase = (phase: Phase, settings: Partial<Rollout['settings']> = {}): Rollout => ({
  name: 'autosave',
  phase,
  settings: { ...defaultRolloutSettings, ...settings },
  version: 3,
  phaseSinceMs: 0,
});

describe('judgeRollout', () => {
  it.each([
    ['4.9 %', 1000, 49, false],
    ['5.0 %', 1000, 50, false],
    ['5.1 %', 1000, 51, true],
    ['1 of 20, exactly 5 %', 20, 1, false],
    ['2 of 20', 20, 2, true],
  ])('%s of the sessions', (_, sessions, readonlySessions, breach) => {
    expect(judgeRollout(inPhase('B-0'), { sessions, readonlySessions }).breach).toBe(breach);
  });

  it('takes 19 sessions for too few, however bad, and 20 for enough', () => {
    expect(judgeRollout(inPhase('B-0'), { sessions: 19, readonlySessions: 19 })).toEqual({
      breach: false,
      why: 'too-few-sessions',
      rate: 1,
    });
    expect(judgeRollout(inPhase('B-0'), { sessions: 20, readonlySessions: 20 })).toEqual({
      breach: true,
      rate: 1,
      threshold: 0.05,
      to: 'A-2',
    });
  });

  it('says that a rate within its threshold is no breach, and what it is', () => {
    expect(judgeRollout(inPhase('B-0'), { sessions: 1000, readonlySessions: 50 })).toEqual({
      breach: false,
      why: 'within-threshold',
      rate: 0.05,
    });
  });

  it('says that an empty window says nothing', () => {
    expect(judgeRollout(inPhase('B-0'), { sessions: 0, readonlySessions: 0 })).toEqual({
      breach: false,
      why: 'no-sessions',
      rate: 0,
    });
  });

  it('is exact for every threshold in whole per mille and every count up to 200', () => {
    for (let perMille = 0; perMille <= 1000; perMille += 25) {
      const thresholds = { ...defaultRolloutSettings.thresholds, 'A-1': perMille / 1000 };
      const rollout = inPhase('A-1', { thresholds });
      for (let sessions = 20; sessions <= 200; sessions += 9)
        for (let readonlySessions = 0; readonlySessions <= sessions; readonlySessions++)
          expect(judgeRollout(rollout, { sessions, readonlySessions }).breach).toBe(
            readonlySessions * 1000 > perMille * sessions,
          );
    }
  });

  it('has nowhere to go back to in the first phase', () => {
    expect(judgeRollout(inPhase('A-0'), { sessions: 20, readonlySessions: 20 })).toMatchObject({
      breach: true,
      to: undefined,
    });
  });
});
