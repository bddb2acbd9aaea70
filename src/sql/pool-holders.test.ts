import { expect, it } from 'vitest';
import { poolHolders } from './pool-holders.ts';

it('lists the holders in force, oldest first, by the clock that the row tells', () => {
  const holders = { late: [9, 1, 3, 5_000_000], early: [7, 2, 3, 4_000_000], gone: [5, 1, 3, 3_000_000] } as const;
  // The row ends at 5 s and has 1.5 s left, so it is 3.5 s now.
  expect(poolHolders(holders, 1_500)).toEqual([
    { owner: 'early', token: 7, remainingMs: 500, share: { weight: 2, capacity: 3 } },
    { owner: 'late', token: 9, remainingMs: 1_500, share: { weight: 1, capacity: 3 } },
  ]);
});
