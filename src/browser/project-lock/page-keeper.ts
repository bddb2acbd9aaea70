/** The record kept on the page itself: where no worker can be had, and for doubles. Loaded only then. */
import { openOnPage } from './open-record.ts';
import type { WebLocks } from './ports.ts';
import { createRecordKeeper, type KeeperReport, type RecordKeeper } from './record-keeper.ts';
import type { RecordParts } from './record-mutex.ts';

export type PageKeeperParts = Omit<RecordParts, 'open'> & { readonly locks: WebLocks | null };

export function createPageKeeper(parts: PageKeeperParts, report: (report: KeeperReport) => void): RecordKeeper {
  return createRecordKeeper({ ...parts, open: openOnPage(parts.locks) }, report);
}
