import { acquireAgain } from './acquire-again.ts';
import { answerTab } from './answer-tab.ts';
import { releaseAgain } from './release-again.ts';
import { refuseLease, renewLock } from './renew-lock.ts';
import type { RareParts } from './tab-lock.ts';

/** What few pages need. A page loads it when it does; its modules import nothing of what a page has anyway. */
export const rareParts: RareParts = {
  acquireAgain,
  answerTab,
  // Larger than all the rest, and rarer.
  createPageKeeper: async (tab, report) => (await import('./page-keeper.ts')).createPageKeeper(tab, report),
  releaseAgain,
  refuseLease,
  renewLock,
};
