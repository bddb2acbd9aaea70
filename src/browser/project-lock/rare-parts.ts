/** What few pages need. A page loads it when it does; its modules import nothing of what a page has anyway. */
import type { LockRecord } from './lock-record.ts';
import { lookAtRecord } from './look-at-record.ts';
import type { OpenFiles } from './ports.ts';
import type { RecordKeeper, ReportAttempt } from './record-keeper.ts';
import type { TabLock } from './tab-lock.ts';

export { acquireAgain as acquire } from './acquire-again.ts';
export { answerTab as answer } from './answer-tab.ts';
export { releaseAgain as release } from './release-again.ts';
export { refuseLease as refuse, renewLock as renew } from './renew-lock.ts';

export const files = (async () => navigator.storage.getDirectory()) as unknown as OpenFiles;

/** Larger than all the rest, and rarer. */
export async function keeper(tab: TabLock, report: ReportAttempt): Promise<RecordKeeper> {
  return (await import('./page-keeper.ts')).createPageKeeper(tab, report, files);
}

/**
 * Not left for later as the keeper is: a take-over looks when another tab does not answer, and whoever serves code may not
 * answer then either.
 */
export async function look(tab: TabLock): Promise<LockRecord | undefined> {
  return lookAtRecord((await tab.rare()).files);
}
