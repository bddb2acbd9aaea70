/** The record as a page can reach it itself: where no worker can be had, for doubles, and for a look. Loaded only then. */
import type { LockRecord } from './lock-record.ts';
import { decodeRecord } from './lock-record.ts';
import { openOnPage, readBytes } from './open-record.ts';
import type { OpenFiles } from './ports.ts';
import { createRecordKeeper, type RecordKeeper, type ReportAttempt } from './record-keeper.ts';
import { findRecord } from './record-mutex.ts';
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

/**
 * The record without the mutex: a look keeps nobody out, and is kept out by nobody. It may find the file unreadable
 * because it changes at this moment, and looks again. Undefined: it cannot be seen.
 */
export async function lookAtRecord(files: OpenFiles, attempts = 9): Promise<LockRecord | undefined> {
  try {
    return decodeRecord(await readBytes(await findRecord(files)));
  } catch {
    return attempts ? lookAtRecord(files, attempts - 1) : undefined;
  }
}
