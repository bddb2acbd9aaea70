import type { OpfsDirectory } from '../browser/project-lock/ports.ts';
import { type InMemoryOpfsFile, inMemoryOpfsFile, refusal, type StoredFile } from './in-memory-opfs-file.ts';
import { type HeldCall, type OpfsFault, type OpfsFaults, type OpfsOperation, opfsFaults } from './opfs-faults.ts';

export interface InMemoryOpfsDirectory extends OpfsDirectory {
  readonly kind: 'directory';
  readonly name: string;
  getFileHandle(name: string, options?: { readonly create?: boolean }): Promise<InMemoryOpfsFile>;
  getDirectoryHandle(name: string, options?: { readonly create?: boolean }): Promise<InMemoryOpfsDirectory>;
}

export interface InMemoryOpfs {
  /** Stands for `navigator.storage.getDirectory()`. */
  readonly open: () => Promise<InMemoryOpfsDirectory>;
  /** Every file, sorted, from the root. */
  paths(): readonly string[];
  /** Undefined where there is no such file. */
  read(path: string): string | undefined;
  /** Puts a file there, folders included, past every fault and limit. */
  put(path: string, content: string | Uint8Array): void;
  /** Takes a file away, past every fault. */
  remove(path: string): void;
  fail(fault: OpfsFault): void;
  /** Forgets every failure that was planned. */
  heal(): void;
  hold(operation: OpfsOperation, path?: string | RegExp): HeldCall;
  setQuota(bytes: number): void;
  usedBytes(): number;
  /** What dies with a tab: handles and writables that are open let go; nothing of a writable is kept. */
  closeAll(): void;
}

interface Folder {
  readonly path: string;
  readonly folders: Map<string, Folder>;
  readonly files: Map<string, StoredFile>;
}

/** An origin private file system in memory, with failures by appointment. One instance is one origin. */
export function inMemoryOpfs(): InMemoryOpfs {
  const root = newFolder('');
  const faults = opfsFaults(() => usedBytes());
  const allFiles = (folder: Folder = root): [string, StoredFile][] => [
    ...[...folder.files].map(([name, file]): [string, StoredFile] => [folder.path + name, file]),
    ...[...folder.folders.values()].flatMap(allFiles),
  ];
  const usedBytes = (): number => allFiles().reduce((sum, [, file]) => sum + file.bytes.length, 0);
  const locate = (path: string): { readonly folder: Folder; readonly name: string } => {
    const parts = path.split('/');
    const name = parts.pop() ?? '';
    return { folder: parts.reduce(childFolder, root), name };
  };
  return {
    async open() {
      await faults.meet('open', '');
      return directory(root, faults);
    },
    paths: () =>
      allFiles()
        .map(([path]) => path)
        .sort(),
    read(path) {
      const file = new Map(allFiles()).get(path);
      return file && new TextDecoder().decode(file.bytes);
    },
    put(path, content) {
      const { folder, name } = locate(path);
      const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : new Uint8Array(content);
      const file = folder.files.get(name);
      if (file) file.bytes = bytes;
      else folder.files.set(name, { bytes, exclusive: false, writables: 0 });
    },
    remove(path) {
      const { folder, name } = locate(path);
      folder.files.delete(name);
    },
    fail: faults.fail,
    heal: faults.heal,
    hold: faults.hold,
    setQuota: faults.setQuota,
    usedBytes,
    closeAll() {
      for (const [, file] of allFiles()) {
        file.exclusive = false;
        file.writables = 0;
      }
    },
  };
}

const newFolder = (path: string): Folder => ({ path, folders: new Map(), files: new Map() });

function childFolder(folder: Folder, name: string): Folder {
  const child = folder.folders.get(name) ?? newFolder(`${folder.path}${name}/`);
  folder.folders.set(name, child);
  return child;
}

/** From the handle that a test holds to the folder it stands for: `move` is given a handle. */
const foldersOf = new WeakMap<object, Folder>();

function directory(folder: Folder, faults: OpfsFaults): InMemoryOpfsDirectory {
  const handle: InMemoryOpfsDirectory = {
    kind: 'directory',
    name: folder.path.split('/').at(-2) ?? '',
    async getFileHandle(name, options = {}) {
      const path = folder.path + name;
      await faults.meet('open', path);
      if (folder.folders.has(name)) throw new DOMException(`${path} is a folder.`, 'TypeMismatchError');
      if (!folder.files.has(name)) {
        if (!options.create) throw notFound(path);
        folder.files.set(name, { bytes: new Uint8Array(), exclusive: false, writables: 0 });
      }
      return fileAt(folder, name, faults);
    },
    async getDirectoryHandle(name, options = {}) {
      const path = folder.path + name;
      await faults.meet('open', path);
      if (folder.files.has(name)) throw new DOMException(`${path} is a file.`, 'TypeMismatchError');
      if (!folder.folders.has(name) && !options.create) throw notFound(path);
      return directory(childFolder(folder, name), faults);
    },
    async removeEntry(name, options = {}) {
      const path = folder.path + name;
      await faults.meet('delete', path);
      const file = folder.files.get(name);
      const child = folder.folders.get(name);
      if (!file && !child) throw notFound(path);
      if (file && (file.exclusive || file.writables > 0)) throw refusal(path);
      if (child && !options.recursive && child.files.size + child.folders.size > 0) {
        throw new DOMException(`${path} is not empty.`, 'InvalidModificationError');
      }
      folder.files.delete(name);
      folder.folders.delete(name);
    },
    async *keys() {
      await faults.meet('list', folder.path);
      yield* [...folder.folders.keys(), ...folder.files.keys()].sort();
    },
  };
  foldersOf.set(handle, folder);
  return handle;
}

function fileAt(startFolder: Folder, startName: string, faults: OpfsFaults): InMemoryOpfsFile {
  let folder = startFolder;
  let name = startName;
  const path = (): string => folder.path + name;
  const find = (): StoredFile => {
    const file = folder.files.get(name);
    if (!file) throw notFound(path());
    return file;
  };
  return inMemoryOpfsFile(
    {
      path,
      find,
      move(target, newName) {
        const to = typeof target === 'object' && target !== null ? foldersOf.get(target) : undefined;
        if (!to) throw new TypeError('move() wants a folder of this file system and a name.');
        const file = find();
        const there = to.files.get(newName);
        for (const touched of [file, there]) {
          if (touched && (touched.exclusive || touched.writables > 0)) throw refusal(path());
        }
        folder.files.delete(name);
        to.files.set(newName, file);
        folder = to;
        name = newName;
      },
    },
    faults,
  );
}

function notFound(path: string): Error {
  return new DOMException(`There is no ${path}.`, 'NotFoundError');
}
