/** What few pages need. A page loads it when it does; its modules import nothing of what a page has anyway. */
import type { KeeperReport, RecordKeeper } from './record-keeper.ts';
import type { TabLock } from './tab-lock.ts';

export { acquireAgain } from './acquire-again.ts';
export { answerTab } from './answer-tab.ts';
export { releaseAgain, releaseForeign } from './release-again.ts';
export { refuseLease, renewLock } from './renew-lock.ts';

/** Larger than all the rest, and rarer. */
export async function createPageKeeper(tab: TabLock, report: (report: KeeperReport) => void): Promise<RecordKeeper> {
  return (await import('./page-keeper.ts')).createPageKeeper(tab, report);
}
