/** What few pages need. A page loads it when it does; its modules import nothing of what a page has anyway. */
import type { LockRecord } from './lock-record.ts';
import type { OpenFiles } from './ports.ts';
import type { KeeperReport, RecordKeeper } from './record-keeper.ts';
import type { TabLock } from './tab-lock.ts';

export { acquireAgain } from './acquire-again.ts';
export { answerTab } from './answer-tab.ts';
export { releaseAgain, releaseForeign } from './release-again.ts';
export { refuseLease, renewLock } from './renew-lock.ts';

export const files = (async () => navigator.storage.getDirectory()) as unknown as OpenFiles;

/** Larger than all the rest, and rarer. */
export async function createPageKeeper(tab: TabLock, report: (report: KeeperReport) => void): Promise<RecordKeeper> {
  return (await import('./page-keeper.ts')).createPageKeeper(tab, report, files);
}

export async function lookAtRecord(tab: TabLock): Promise<LockRecord | undefined> {
  return (await import('./page-keeper.ts')).lookAtRecord((await tab.rare()).files);
}
