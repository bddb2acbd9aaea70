import { expect, it } from 'vitest';
import { nextPhase, phases, previousPhase } from './phase.ts';

it('goes forward and back one phase at a time, and nowhere beyond the ends', () => {
  expect(phases.map(nextPhase)).toEqual(['A-1', 'A-2', 'B-0', 'B-1', undefined]);
  expect(phases.map(previousPhase)).toEqual([undefined, 'A-0', 'A-1', 'A-2', 'B-0']);
});
