import type { OpfsFile, OpfsHandle, OpfsSnapshot, OpfsWritable } from '../browser/project-lock/ports.ts';
import type { OpfsFaults } from './opfs-faults.ts';

/** The bytes of a file and who has it open. A handle names a place; the place names one of these, or nothing. */
export interface StoredFile {
  bytes: Uint8Array<ArrayBuffer>;
  /** A sync access handle is open: nobody else may touch the file. */
  exclusive: boolean;
  /** Writables that are open: handles, renames and removals are refused. */
  writables: number;
}

/** Where a file is. A rename changes it, and with it what the handle means. */
export interface FilePlace {
  /** From the root, with slashes. */
  path(): string;
  /** What is there now. Throws `NotFoundError`. */
  find(): StoredFile;
  /** Renames; replaces what is there. */
  move(folder: unknown, name: string): void;
}

export interface InMemoryOpfsFile extends OpfsFile {
  readonly kind: 'file';
  readonly name: string;
  createSyncAccessHandle(): Promise<OpfsHandle>;
  move(folder: unknown, name: string): Promise<void>;
}

/** A file that behaves like one of the origin private file system, exclusive handles and swapped writes included. */
export function inMemoryOpfsFile(place: FilePlace, faults: OpfsFaults): InMemoryOpfsFile {
  return {
    kind: 'file',
    get name() {
      return place.path().split('/').at(-1) ?? '';
    },
    async getFile() {
      await faults.meet('read', place.path());
      return snapshot(place.find().bytes.slice());
    },
    async createWritable(options = {}) {
      await faults.meet('open', place.path());
      const file = place.find();
      if (file.exclusive) throw refusal(place.path());
      file.writables++;
      return writable(place, file, options.keepExistingData ? file.bytes : new Uint8Array(), faults);
    },
    async createSyncAccessHandle() {
      await faults.meet('open', place.path());
      const file = place.find();
      if (file.exclusive || file.writables > 0) throw refusal(place.path());
      file.exclusive = true;
      return syncHandle(place, file, faults);
    },
    async move(folder, name) {
      await faults.meet('move', place.path());
      place.move(folder, name);
    },
  };
}

/** What a browser says of a file that somebody has open. */
export function refusal(path: string): Error {
  return new DOMException(`${path} is open elsewhere.`, 'NoModificationAllowedError');
}

function snapshot(bytes: Uint8Array<ArrayBuffer>): OpfsSnapshot {
  return {
    size: bytes.length,
    arrayBuffer: async () => bytes.slice().buffer,
    text: async () => new TextDecoder().decode(bytes),
  };
}

/** Writes into a copy; `close` swaps it in, so a reader sees the old bytes or the new ones. */
function writable(
  place: FilePlace,
  file: StoredFile,
  start: Uint8Array<ArrayBuffer>,
  faults: OpfsFaults,
): OpfsWritable {
  let copy = start.slice();
  let open = true;
  let takenBytes = 0;
  const leave = (): void => {
    if (!open) return;
    open = false;
    file.writables--;
    faults.giveRoomBack(takenBytes);
  };
  const mustBeOpen = (): void => {
    if (!open) throw new TypeError(`The writable of ${place.path()} is closed.`);
  };
  return {
    async write({ position, data }) {
      mustBeOpen();
      await faults.meet('write', place.path());
      const growth = Math.max(0, position + data.length - copy.length);
      faults.takeRoom(growth);
      takenBytes += growth;
      copy = resized(copy, Math.max(copy.length, position + data.length));
      copy.set(data, position);
    },
    async truncate(size) {
      mustBeOpen();
      copy = resized(copy, size);
    },
    async close() {
      mustBeOpen();
      try {
        await faults.meet('close', place.path());
        place.find().bytes = copy;
      } finally {
        leave();
      }
    },
    async abort() {
      leave();
    },
  };
}

function syncHandle(place: FilePlace, file: StoredFile, faults: OpfsFaults): OpfsHandle {
  const mustBeOpen = (): void => {
    if (!file.exclusive) throw new DOMException(`The handle of ${place.path()} is closed.`, 'InvalidStateError');
  };
  return {
    read(into, { at }) {
      mustBeOpen();
      faults.meetNow('read', place.path());
      const part = file.bytes.subarray(at, at + into.length);
      into.set(part);
      return part.length;
    },
    write(bytes, { at }) {
      mustBeOpen();
      faults.meetNow('write', place.path());
      const room = faults.roomFor(at + bytes.length - file.bytes.length);
      const part = bytes.subarray(0, Math.max(0, Math.min(bytes.length, file.bytes.length + room - at)));
      file.bytes = resized(file.bytes, Math.max(file.bytes.length, at + part.length));
      file.bytes.set(part, at);
      return part.length;
    },
    truncate(size) {
      mustBeOpen();
      file.bytes = resized(file.bytes, size);
    },
    getSize: () => file.bytes.length,
    flush: mustBeOpen,
    close() {
      file.exclusive = false;
    },
  };
}

function resized(bytes: Uint8Array<ArrayBuffer>, size: number): Uint8Array<ArrayBuffer> {
  if (bytes.length === size) return bytes;
  const grown = new Uint8Array(size);
  grown.set(bytes.subarray(0, size));
  return grown;
}
