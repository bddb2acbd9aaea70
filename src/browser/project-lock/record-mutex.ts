/**
 * `project/.lock` as the mutex around every read-decide-write of itself. Writing, waiting and reading back would
 * exclude nobody. The file is never deleted; a user who clears the site's storage makes us create it anew.
 */
import type { Clock, Random } from '../../core/ports.ts';
import { decodeRecord, encodeSlot, type LockRecord, type ReadRecord, slotBytes } from './lock-record.ts';
import { type OpenedRecord, type OpenRecord, openToLook } from './open-record.ts';
import type { OpenFiles, OpfsDirectory, OpfsFile } from './ports.ts';
import type { ProjectLockErrorCode } from './project-lock-error.ts';
import type { RecordDecision } from './record-rules.ts';

export interface RecordParts {
  readonly files: OpenFiles;
  readonly open: OpenRecord;
  readonly clock: Clock;
  readonly random: Pick<Random, 'fraction'>;
}

/** The answer to every request about the record. */
export interface RecordAnswer {
  /** The record as it stands now; absent when it could not be looked at. */
  readonly record?: LockRecord;
  readonly refusal?: ProjectLockErrorCode;
  readonly cause?: unknown;
}

export interface RecordMutex {
  run(
    decide: (found: ReadRecord, project: OpfsDirectory) => RecordDecision | Promise<RecordDecision>,
  ): Promise<RecordAnswer>;
  /** A look from outside. */
  read(): Promise<RecordAnswer>;
}

/** A file that is busy for longer is reported. */
const busyLimitMs = 4000;

export function createRecordMutex({ files, open, clock, random }: RecordParts): RecordMutex {
  let project: OpfsDirectory;
  let file: OpfsFile | undefined;
  let tail: Promise<unknown> = Promise.resolve();

  /** Opens the file, again while it is busy, and once more when the file found before is gone. */
  async function openFile(way: OpenRecord): Promise<OpenedRecord> {
    const startMs = clock.monotonicMs();
    for (let delayMs = 0.5; ; delayMs = Math.min(delayMs * 1.6, 16)) {
      const known = file;
      if (!file) {
        project = await (await files()).getDirectoryHandle('project', { create: true });
        file = await project.getFileHandle('.lock', { create: true });
      }
      try {
        return await way(file);
      } catch (error) {
        // A look turns unreadable when the file changes under it.
        const busy = isNamed(error, /NoModification|NotReadable/);
        if (!busy) file = undefined;
        if (!(busy || known) || clock.monotonicMs() - startMs > busyLimitMs) throw error;
      }
      await new Promise<void>((done) => clock.after(random.fraction() * delayMs, done));
    }
  }
  async function attempt(way: OpenRecord, decide: Parameters<RecordMutex['run']>[0]): Promise<RecordAnswer> {
    let failing: ProjectLockErrorCode = 'fallback-open-failed';
    try {
      const opened = await openFile(way);
      try {
        failing = 'fallback-read-failed';
        const read = decodeRecord(await opened.read());
        const { next, ...rest } = await decide(read, project);
        failing = 'fallback-write-failed';
        if (next) await opened.write(encodeSlot(next), (next.n % 2) * slotBytes, read.torn);
        return { record: next ?? read.record, ...rest };
      } finally {
        await opened.close();
      }
    } catch (cause) {
      return { refusal: isNamed(cause, /NoModification/) ? 'record-busy' : failing, cause };
    }
  }
  return {
    run(decide) {
      // One after the other within this tab; among tabs the file decides.
      const turn = tail.then(() => attempt(open, decide));
      tail = turn;
      return turn;
    },
    read: () => attempt(openToLook, () => ({})),
  };
}

function isNamed(error: unknown, name: RegExp): boolean {
  return name.test(Object(error).name);
}
