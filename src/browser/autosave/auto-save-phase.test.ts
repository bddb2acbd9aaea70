import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AutoSavePhase, nextPhase } from './auto-save-phase.ts';

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
const anyPhase = fc.constantFrom(...phases);
const walk = (from: AutoSavePhase, ...wanted: readonly AutoSavePhase[]): readonly AutoSavePhase[] => {
  let phase = from;
  return wanted.map((next) => {
    phase = nextPhase(phase, next);
    return phase;
  });
};

describe('nextPhase', () => {
  it('walks through a save', () => {
    const way: readonly AutoSavePhase[] = ['idle', 'debouncing', 'writing-current', 'updating-index', 'gc', 'idle'];
    expect(walk('awaiting-lock', ...way)).toEqual(way);
  });

  it('shows a failure until the next save, whatever is typed meanwhile', () => {
    expect(walk('writing-current', 'error', 'debouncing', 'idle', 'writing-current')).toEqual([
      'error',
      'error',
      'error',
      'writing-current',
    ]);
  });

  it('leaves read-only by asking anew, and by nothing else', () => {
    const left = phases.filter((wanted) => nextPhase('readonly', wanted) !== 'readonly');
    expect(left).toEqual(['disabled', 'awaiting-lock']);
  });

  it('stays disabled for good', () => {
    for (const wanted of phases) expect(nextPhase('disabled', wanted), wanted).toBe('disabled');
  });

  it('writes only out of idle, debouncing or error, so never between a loss and the next grant', () => {
    const writing: readonly AutoSavePhase[] = ['writing-current', 'updating-index', 'gc'];
    fc.assert(
      fc.property(anyPhase, fc.array(anyPhase, { maxLength: 30 }), (start, list) => {
        let phase = nextPhase(start, 'readonly');
        for (const wanted of list) {
          const before = phase;
          phase = nextPhase(phase, wanted);
          if (writing.includes(phase)) expect(['readonly', 'awaiting-lock', 'disabled']).not.toContain(before);
        }
      }),
    );
  });
});
