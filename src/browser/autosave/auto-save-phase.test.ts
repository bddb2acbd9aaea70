import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AutoSaveFact, type AutoSavePhase, nextPhase } from './auto-save-phase.ts';

const run = (from: AutoSavePhase, ...facts: readonly AutoSaveFact[]): readonly AutoSavePhase[] => {
  let phase = from;
  return facts.map((fact) => {
    phase = nextPhase(phase, fact);
    return phase;
  });
};
const phases: readonly AutoSavePhase[] = [
  'disabled',
  'idle',
  'debouncing',
  'awaiting-lock',
  'writing-current',
  'updating-index',
  'gc',
  'readonly',
  'error',
];
const facts: readonly AutoSaveFact[] = [
  'asked',
  'granted',
  'lost',
  'changed',
  'settled',
  'saving',
  'committed',
  'surplus',
  'saved',
  'failed',
  'disposed',
];

describe('nextPhase', () => {
  it('walks through a save', () => {
    expect(run('awaiting-lock', 'granted', 'changed', 'settled', 'saving', 'committed', 'surplus', 'saved')).toEqual([
      'idle',
      'debouncing',
      'idle',
      'writing-current',
      'updating-index',
      'gc',
      'idle',
    ]);
  });

  it('shows a failure until the next save', () => {
    expect(run('writing-current', 'failed', 'changed', 'saving', 'committed', 'saved')).toEqual([
      'error',
      'error',
      'writing-current',
      'updating-index',
      'idle',
    ]);
  });

  it('leaves read-only by asking anew, and by nothing else', () => {
    const others = facts.filter((fact) => fact !== 'asked' && fact !== 'disposed');
    for (const fact of others) expect(nextPhase('readonly', fact), fact).toBe('readonly');
    expect(nextPhase('readonly', 'asked')).toBe('awaiting-lock');
  });

  it('stays disabled for good', () => {
    for (const fact of facts) expect(nextPhase('disabled', fact), fact).toBe('disabled');
  });

  it('never writes after a loss before it was granted anew', () => {
    const writing: readonly AutoSavePhase[] = ['writing-current', 'updating-index', 'gc'];
    fc.assert(
      fc.property(fc.constantFrom(...phases), fc.array(fc.constantFrom(...facts), { maxLength: 30 }), (start, list) => {
        let phase = nextPhase(start, 'lost');
        for (const fact of list) {
          // An error while opening is one of a tab that holds the lock.
          if (fact === 'granted' || fact === 'failed') break;
          phase = nextPhase(phase, fact);
          expect(writing).not.toContain(phase);
        }
      }),
    );
  });
});
