/**
 * What the project lock needs from a browser, as small as it can be, so that a double is easy to write and nothing
 * here needs the DOM's types. The real `navigator.locks` and `navigator.storage.getDirectory()` fit as they are.
 *
 * Names of Web Locks: the gate is `kannuki:project`, the presence lock of a file-path holder is
 * `kannuki:project:<leaseId>`, and the short lock of pages without a worker is `kannuki:project:record`.
 */

/** The part of `navigator.locks` that is used. */
export interface WebLocks {
  request<T>(name: string, options: WebLockOptions, granted: (lock: unknown) => T | PromiseLike<T>): Promise<T>;
  /** Waiters call it at least each second: it throws a holder out of the back/forward cache. */
  query(): Promise<unknown>;
}

export interface WebLockOptions {
  readonly signal?: AbortSignal;
  readonly ifAvailable?: boolean;
  readonly steal?: boolean;
}

/** Opens the root of the origin private file system. Rejects where the browser denies it. */
export type OpenFiles = () => Promise<OpfsDirectory>;

export interface OpfsDirectory {
  getFileHandle(name: string, options?: { readonly create?: boolean }): Promise<OpfsFile>;
  getDirectoryHandle(name: string, options?: { readonly create?: boolean }): Promise<OpfsDirectory>;
  removeEntry(name: string, options?: { readonly recursive?: boolean }): Promise<void>;
  keys(): AsyncIterable<string>;
}

export interface OpfsFile {
  getFile(): Promise<OpfsSnapshot>;
  createWritable(options?: { readonly keepExistingData?: boolean }): Promise<OpfsWritable>;
  /**
   * Exclusive: while it is open every other handle, writable, rename and removal of the file is refused with
   * `NoModificationAllowedError`. Browsers offer it in dedicated workers only; a double may offer it anywhere, and
   * the lock then works in place, without a worker.
   */
  createSyncAccessHandle?(): Promise<OpfsHandle>;
}

export interface OpfsSnapshot {
  readonly size: number;
  arrayBuffer(): Promise<ArrayBuffer>;
  text(): Promise<string>;
}

export interface OpfsHandle {
  /** How many bytes were read. */
  read(into: Uint8Array<ArrayBuffer>, options: { readonly at: number }): number;
  /** How many bytes were written: fewer than given when the disk is full. */
  write(bytes: Uint8Array<ArrayBuffer>, options: { readonly at: number }): number;
  truncate(size: number): void;
  getSize(): number;
  flush(): void;
  close(): void;
}

export interface OpfsWritable {
  write(change: {
    readonly type: 'write';
    readonly position: number;
    readonly data: Uint8Array<ArrayBuffer>;
  }): Promise<void>;
  truncate(size: number): Promise<void>;
  /** Swaps the file; until then every sync access handle is refused. */
  close(): Promise<void>;
  abort(): Promise<void>;
}

/** The part of `BroadcastChannel` that is used. Its own messages do not come back. */
export interface Channel {
  postMessage(message: unknown): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  close(): void;
}
