/** What AutoSave needs from a browser, beyond what the project lock needs. The real handles fit as they are. */
import type { OpfsDirectory, OpfsFile } from '../project-lock/ports.ts';

export interface MovableFile extends OpfsFile {
  /** Renames, and replaces what is there: readers see the old file or the new one. */
  move(folder: AutoSaveDirectory, name: string): Promise<void>;
}

export interface AutoSaveDirectory extends OpfsDirectory {
  getFileHandle(name: string, options?: { readonly create?: boolean }): Promise<MovableFile>;
  getDirectoryHandle(name: string, options?: { readonly create?: boolean }): Promise<AutoSaveDirectory>;
}

/** Opens the root of the origin private file system. */
export type OpenAutoSaveFiles = () => Promise<AutoSaveDirectory>;

/** Where the page's life is heard: the window. */
export interface PageEvents {
  addEventListener(
    type: 'pagehide' | 'visibilitychange',
    listener: () => void,
    options: { readonly signal: AbortSignal },
  ): void;
}

/** The part of `BroadcastChannel` that is used. */
export interface AutoSaveChannel {
  postMessage(message: unknown): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  close(): void;
}
