/** What few pages need. A page loads it when it does; its modules import nothing of what a page has anyway. */
export { acquireAgain } from './acquire-again.ts';
export { answerTab } from './answer-tab.ts';
export { createPageKeeper } from './page-keeper.ts';
export { releaseAgain } from './release-again.ts';
export { refuseLease, renewLock } from './renew-lock.ts';
