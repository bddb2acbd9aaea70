/** The record as a page can reach it itself: where no worker can be had, and for doubles. Loaded only then. */
import { openOnPage } from './open-record.ts';
import type { OpenFiles } from './ports.ts';
import { createRecordKeeper, type RecordKeeper, type ReportAttempt } from './record-keeper.ts';
import type { TabLock } from './tab-lock.ts';

/** Pages take turns by a Web Lock, and workers spread their attempts: a page need not. */
const noSpread = (): number => 1;

export function createPageKeeper(
  { clock, locks }: Pick<TabLock, 'clock' | 'locks'>,
  report: ReportAttempt,
  files: OpenFiles,
  fraction: () => number = noSpread,
): RecordKeeper {
  return createRecordKeeper(files, openOnPage(locks), clock, fraction, report);
}
