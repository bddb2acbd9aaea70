/**
 * `project/.lock` as the mutex around every read-decide-write of itself. Writing, waiting and reading back would
 * exclude nobody. The file is never deleted; a user who clears the site's storage makes us create it anew.
 */
import type { Clock } from '../../core/ports.ts';
import { findRecord } from './find-record.ts';
import { decodeRecord, encodeSlot, type LockRecord, slotBytes } from './lock-record.ts';
import type { OpenedRecord, OpenRecord } from './open-record.ts';
import type { OpenFiles, OpfsFile } from './ports.ts';
import type { ProjectLockErrorCode } from './project-lock-error.ts';
import type { RecordDecision } from './record-rules.ts';

/**
 * The answer to every request about the record: the record as it stands now, undefined when it could not be looked at, and
 * why the request was refused, if it was.
 */
export type RecordAnswer = readonly [record?: LockRecord | undefined, refusal?: ProjectLockErrorCode, cause?: unknown];

/** Reads, decides and writes, all of it while nobody else can. */
export type RecordMutex = (
  decide: (found: LockRecord) => RecordDecision | Promise<RecordDecision>,
) => Promise<RecordAnswer>;

/** A file that is busy for longer is reported. */
const busyLimitMs = 4000;

/** `fraction`: spreads the attempts of several tabs. */
export function createRecordMutex(
  files: OpenFiles,
  open: OpenRecord,
  clock: Clock,
  fraction: () => number,
): RecordMutex {
  let file: OpfsFile | undefined;
  let tail: Promise<unknown> = Promise.resolve();

  /** Opens the file, again while it is busy, and once more when the file found before is gone. */
  async function openFile(): Promise<OpenedRecord> {
    const startMs = clock.monotonicMs();
    for (let delayMs = 0.5; ; delayMs = Math.min(delayMs * 1.6, 16)) {
      const known = file;
      file ??= await findRecord(files);
      try {
        return await open(file);
      } catch (error) {
        const busy = isBusy(error);
        if (!busy) file = undefined;
        if (!(busy || known) || clock.monotonicMs() - startMs > busyLimitMs) throw error;
      }
      await new Promise<void>((done) => clock.after(fraction() * delayMs, done));
    }
  }
  async function attempt(decide: Parameters<RecordMutex>[0]): Promise<RecordAnswer> {
    let failing: ProjectLockErrorCode = 'fallback-open-failed';
    try {
      const opened = await openFile();
      try {
        failing = 'fallback-read-failed';
        let record = decodeRecord(await opened.read());
        const decision = await decide(record);
        if (typeof decision === 'string') return [record, decision];
        failing = 'fallback-write-failed';
        if (decision) {
          record = { ...decision, n: Math.max(record.n, 0) + 1 };
          await opened.write(encodeSlot(record), (record.n % 2) * slotBytes);
        }
        return [record];
      } finally {
        await opened.close();
      }
    } catch (cause) {
      return [undefined, isBusy(cause) ? 'record-busy' : failing, cause];
    }
  }
  return (decide) => {
    // One after the other within this tab; among tabs the file decides.
    const turn = tail.then(() => attempt(decide));
    tail = turn;
    return turn;
  };
}

function isBusy(error: unknown): boolean {
  return /^NoModif/.test(Object(error).name);
}
