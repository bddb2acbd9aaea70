/**
 * `project/.lock`, opened so that nobody else can: the mutex around every read-decide-write of the record.
 *
 * In a dedicated worker the exclusive sync access handle is the mutex. Without one, a writable stream opened *before*
 * reading keeps all handles out until it is closed, and a short second Web Lock lets one page at a time do so, since
 * writables do not exclude each other. Writing, waiting and reading back excludes nobody. The file is never deleted.
 */
import type { Clock, Random } from '../../core/ports.ts';
import { decodeRecord, encodeSlot, type LockRecord, type ReadRecord, slotBytes } from './lock-record.ts';
import type { OpenFiles, OpfsDirectory, OpfsFile, WebLocks } from './ports.ts';
import type { ProjectLockErrorCode } from './project-lock-error.ts';
import type { RecordDecision } from './record-rules.ts';

export interface MutexParts {
  readonly files: OpenFiles;
  readonly locks: WebLocks | null;
  readonly clock: Clock;
  readonly random: Random;
}

/** The answer to every request about the record. */
export interface RecordAnswer {
  /** The record as it stands now; absent when it could not be looked at. */
  readonly record?: LockRecord;
  readonly refusal?: ProjectLockErrorCode;
  readonly cause?: unknown;
}

export type RecordMutex = (
  decide: (found: ReadRecord, project: OpfsDirectory) => RecordDecision | Promise<RecordDecision>,
) => Promise<RecordAnswer>;

/** Name of the lock that pages without a worker take around the file. */
const shortLock = 'kannuki:project:record';
/** A file that is busy for longer is reported. */
const busyLimitMs = 4000;

export function createRecordMutex({ files, locks, clock, random }: MutexParts): RecordMutex {
  let tail: Promise<unknown> = Promise.resolve();

  const run: RecordMutex = async (decide) => {
    let step: ProjectLockErrorCode = 'fallback-open-failed';
    try {
      const project = await (await files()).getDirectoryHandle('project', { create: true });
      const file = await project.getFileHandle('.lock', { create: true });
      const work = async (): Promise<RecordAnswer> => {
        const opened = await whenFree(() => openRecord(file));
        try {
          step = 'fallback-read-failed';
          const found = decodeRecord(await opened.read());
          const { next, ...rest } = await decide(found, project);
          step = 'fallback-write-failed';
          if (next) await opened.write(encodeSlot(next), (next.n % 2) * slotBytes, found.torn);
          return { record: next ?? found.record, ...rest };
        } finally {
          await opened.close();
        }
      };
      if (file.createSyncAccessHandle) return await work();
      if (!locks) throw new Error('Neither a sync access handle nor a Web Lock can be had here.');
      return await locks.request(shortLock, {}, work);
    } catch (cause) {
      return { refusal: isBusy(cause) ? 'record-busy' : step, cause };
    }
  };

  async function whenFree<T>(open: () => Promise<T>): Promise<T> {
    const startMs = clock.monotonicMs();
    for (let delayMs = 0.5; ; delayMs = Math.min(delayMs * 1.6, 16)) {
      try {
        return await open();
      } catch (error) {
        if (!isBusy(error) || clock.monotonicMs() - startMs > busyLimitMs) throw error;
      }
      await new Promise<void>((done) => clock.after(random.fraction() * delayMs, done));
    }
  }

  // One after the other within this tab; among tabs the file decides.
  return (decide) => {
    const turn = tail.then(() => run(decide));
    tail = turn;
    return turn;
  };
}

function isBusy(error: unknown): boolean {
  return (error as { readonly name?: unknown } | null)?.name === 'NoModificationAllowedError';
}

interface OpenedRecord {
  read(): Uint8Array | Promise<Uint8Array>;
  /** `whole`: the file held something else; cut it to size. */
  write(slot: Uint8Array<ArrayBuffer>, position: number, whole: boolean): void | Promise<void>;
  close(): void | Promise<void>;
}

async function openRecord(file: OpfsFile): Promise<OpenedRecord> {
  const size = 2 * slotBytes;
  if (file.createSyncAccessHandle) {
    const handle = await file.createSyncAccessHandle();
    return {
      read() {
        const bytes = new Uint8Array(size);
        return bytes.subarray(0, handle.read(bytes, { at: 0 }));
      },
      write(slot, at, whole) {
        if (whole) handle.truncate(0);
        if (handle.write(slot, { at }) < slotBytes) throw new Error('The disk is full.');
      },
      close: () => handle.close(),
    };
  }
  const writable = await file.createWritable({ keepExistingData: true });
  let closed = false;
  return {
    read: async () => new Uint8Array(await (await file.getFile()).arrayBuffer()).subarray(0, size),
    async write(data, position, whole) {
      if (whole) await writable.truncate(0);
      await writable.write({ type: 'write', position, data });
      await writable.close();
      closed = true;
    },
    async close() {
      if (!closed) await writable.abort();
    },
  };
}
