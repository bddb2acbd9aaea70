import { findRecord, readBytes } from './find-record.ts';
import { decodeRecord, type LockRecord } from './lock-record.ts';
import type { OpenFiles } from './ports.ts';

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
