/**
 * What must hold for users of `createLeases` on every store: waiting, waking, fairness, loss. The same keeper runs
 * each time, so these cases show that store and keeper agree.
 */
import type { LeaseStoreCase } from './case-context.ts';
import { keeperHoldingCases } from './cases/keeper-holding.ts';
import { keeperLossCases } from './cases/keeper-loss.ts';
import { keeperWaitingCases } from './cases/keeper-waiting.ts';

export const leaseKeeperCases: readonly LeaseStoreCase[] = [
  ...keeperHoldingCases,
  ...keeperWaitingCases,
  ...keeperLossCases,
];
