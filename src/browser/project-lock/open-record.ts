/**
 * Two ways to open `project/.lock` so that nobody else can. In a dedicated worker the sync access handle is exclusive.
 * Without one, a writable stream opened *before* reading keeps all handles out until it is closed, and a short second
 * Web Lock lets one page at a time do so, since writables do not exclude each other.
 */
import { readBytes } from './find-record.ts';
import { slotBytes } from './lock-record.ts';
import type { OpfsFile, WebLocks } from './ports.ts';

export interface OpenedRecord {
  read(): Uint8Array | Promise<Uint8Array>;
  /** Also brings the file to its size, whatever it held before. */
  write(slot: Uint8Array<ArrayBuffer>, at: number): void | Promise<void>;
  close(): void | Promise<void>;
}

/** Opens the file, or throws `NoModificationAllowedError` while somebody else has it. */
export type OpenRecord = (file: OpfsFile) => Promise<OpenedRecord>;

const recordBytes = 2 * slotBytes;

export const openByHandle: OpenRecord = async (file) => {
  const handle = await (file as Required<OpfsFile>).createSyncAccessHandle();
  return {
    read() {
      const bytes = new Uint8Array(recordBytes);
      return bytes.subarray(0, handle.read(bytes, { at: 0 }));
    },
    write(slot, at) {
      handle.truncate(recordBytes);
      if (handle.write(slot, { at }) < slotBytes) throw new Error('The disk is full.');
    },
    close: () => handle.close(),
  };
};

/** A double offers handles on any thread; a real page does not. */
export function openOnPage(locks: WebLocks | null): OpenRecord {
  return async (file) => {
    if (file.createSyncAccessHandle) return openByHandle(file);
    if (!locks) throw new Error('Neither a sync access handle nor a Web Lock can be had here.');
    const letGo = await new Promise<() => void>((granted, refused) => {
      locks.request('kannuki:project:record', {}, () => new Promise<void>(granted)).catch(refused);
    });
    try {
      const writable = await file.createWritable({ keepExistingData: true });
      let written = false;
      return {
        read: () => readBytes(file),
        async write(data, position) {
          await writable.truncate(recordBytes);
          await writable.write({ type: 'write', position, data });
          await writable.close();
          written = true;
        },
        async close() {
          try {
            if (!written) await writable.abort();
          } finally {
            letGo();
          }
        },
      };
    } catch (error) {
      letGo();
      throw error;
    }
  };
}
