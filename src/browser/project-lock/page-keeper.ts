/** The record kept on the page itself: where no worker can be had, and for doubles. Loaded only then. */
import { openOnPage } from './open-record.ts';
import type { OpenFiles } from './ports.ts';
import { createRecordKeeper, type KeeperReport, type RecordKeeper } from './record-keeper.ts';
import type { RecordParts } from './record-mutex.ts';
import type { TabLock } from './tab-lock.ts';

const browserFiles = (async () => navigator.storage.getDirectory()) as unknown as OpenFiles;
/** Pages take turns by a Web Lock, and workers spread their attempts: a page need not. */
const noSpread = { fraction: () => 1 };

export function createPageKeeper(
  { clock, locks }: Pick<TabLock, 'clock' | 'locks'>,
  report: (report: KeeperReport) => void,
  files: OpenFiles = browserFiles,
  random: RecordParts['random'] = noSpread,
): RecordKeeper {
  return createRecordKeeper({ files, clock, random, open: openOnPage(locks) }, report);
}
