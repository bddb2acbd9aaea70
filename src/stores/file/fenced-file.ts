/**
 * A document that refuses an older token. A lease alone does not protect a file: its holder may be stopped between
 * the check and the write, and write when somebody else has long taken over. Here the file itself knows the highest
 * token that has touched it, reads included.
 *
 *   <dir>/state/<token>.<version>.<content>     exactly one file; the name is the state
 *   <dir>/content/<content>                     the bytes, written once, never changed
 *
 *   claim    rename the state to our token, then read: no older holder's write lands after our read
 *   write    write and fsync the new content, then rename the state to (our token, version + 1, new content)
 *
 * Token and version only rise, so a name never comes twice and a late rename fails. A content carries the token and
 * version it was made to replace: once these are no longer the state, no name will ever point to it, and the next
 * writer removes it. So a crash leaves at most an orphan, and an acknowledged write survives a power loss.
 */
import { closeSync, fsyncSync, openSync, readdirSync } from 'node:fs';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { platform } from '#platform';
import { LeaseError } from '../../core/errors.ts';
import type { Clock, Random } from '../../core/ports.ts';
import { codeOf, corruptFolder, fileError } from './file-error.ts';
import { createState, lookState, swapState } from './state-folder.ts';

/** A right that can be checked at the moment of use. Every lease of `createLeases` is one. */
export interface LiveLease {
  readonly token: number;
  isHeld(): boolean;
}

export interface FencedSnapshot {
  /** Undefined: nothing was ever written. */
  readonly content: Buffer | undefined;
  /** Rises with every write. */
  readonly version: number;
  /** The highest token that has claimed or written. */
  readonly token: number;
}

/** `token`: the later holder that has claimed the file. */
export type FencedClaim =
  | ({ readonly claimed: true } & FencedSnapshot)
  | { readonly claimed: false; readonly token: number };

export type FencedWrite = { readonly written: true } | { readonly written: false; readonly token: number };

export interface FencedFile {
  /** Raises the fence to the lease's token and reads. Throws `lost` when the lease is not held. */
  claim(lease: LiveLease): Promise<FencedClaim>;
  /** Replaces the content, unless a later holder has claimed. Throws `lost` when the lease is not held. */
  write(lease: LiveLease, data: string | Uint8Array): Promise<FencedWrite>;
  /** Reads without a right: to show it, never to write back what was read. */
  read(): Promise<FencedSnapshot>;
}

export interface FencedFileOptions {
  /** Timers for short pauses. @default the platform's clock */
  readonly clock?: Pick<Clock, 'after'>;
  /** @default the platform's */
  readonly random?: Random;
}

interface State {
  readonly name: string;
  readonly token: number;
  readonly version: number;
  readonly contentId: string;
}

/** A protected document in a folder of its own, which is made when it is first needed. */
export function fencedFile(dir: string, options: FencedFileOptions = {}): FencedFile {
  const { clock = platform.clock, random = platform.random } = options;
  const tools = { clock, random };
  const root = resolve(dir);
  const stateFolder = `${root}/state`;
  const contentFolder = `${root}/content`;

  async function look(): Promise<State> {
    for (;;) {
      const state = await lookState(tools, stateFolder, parseState);
      if (state === 'empty') throw corruptFolder(stateFolder, 'contains no state');
      if (state !== 'missing') return state;
      await createState(tools, { root, folder: stateFolder, name: `0.0.${noContent}`, content: '', flush: false });
    }
  }

  /** Undefined: the content is gone, so the state has changed since it was read. */
  async function readContent({ name, token, version, contentId }: State): Promise<FencedSnapshot | undefined> {
    if (contentId === noContent) return { content: undefined, version, token };
    try {
      return { content: await readFile(`${contentFolder}/${contentId}`), version, token };
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw fileError(error, root);
      if ((await look()).name !== name) return undefined;
      throw corruptFolder(root, `lacks the content "${contentId}" that its state names`);
    }
  }

  async function writeContent(contentId: string, data: string | Uint8Array): Promise<void> {
    await mkdir(contentFolder, { recursive: true });
    const file = await open(`${contentFolder}/${contentId}`, 'wx');
    try {
      await file.writeFile(data);
      await file.sync();
    } finally {
      await file.close();
    }
  }

  /** Gives the content a new base, without writing it again if it is still there. */
  async function moveContent(from: string | undefined, to: string, data: string | Uint8Array): Promise<void> {
    try {
      if (from === undefined) await writeContent(to, data);
      else await rename(`${contentFolder}/${from}`, `${contentFolder}/${to}`);
    } catch (error) {
      // Another writer has removed it, since its base is no longer the state.
      if (from === undefined || codeOf(error) !== 'ENOENT') throw error;
      await writeContent(to, data);
    }
    syncFolder(contentFolder);
  }

  /** Lists first, looks afterwards: what was there before the look and has another base can never be named. */
  async function removeOrphans(): Promise<void> {
    const names = readdirSync(contentFolder);
    const { token, version, contentId } = await look();
    for (const name of names) {
      if (name === contentId || name.startsWith(`${token}-${version}-`)) continue;
      await rm(`${contentFolder}/${name}`, { force: true });
    }
  }

  return {
    async claim(lease) {
      for (;;) {
        checkHeld(lease, root);
        const state = await look();
        if (lease.token < state.token) return { claimed: false, token: state.token };
        const claimed = { ...state, token: lease.token, name: nameOf(lease.token, state.version, state.contentId) };
        if (claimed.name !== state.name && !(await swapState(tools, stateFolder, state.name, claimed.name))) continue;
        const snapshot = await readContent(claimed);
        if (snapshot) return { claimed: true, ...snapshot };
      }
    },
    async write(lease, data) {
      let contentId: string | undefined;
      try {
        for (;;) {
          checkHeld(lease, root);
          const state = await look();
          if (lease.token < state.token) return { written: false, token: state.token };
          const nextId = `${state.token}-${state.version}-${random.hex(8)}`;
          const previousId = contentId;
          contentId = nextId;
          await moveContent(previousId, nextId, data);
          if (state.version === 0) for (const folder of [root, dirname(root)]) syncFolder(folder);
          // Writing takes time, so the right is checked again.
          checkHeld(lease, root);
          const next = nameOf(lease.token, state.version + 1, nextId);
          if (!(await swapState(tools, stateFolder, state.name, next))) continue;
          contentId = undefined;
          syncFolder(stateFolder);
          break;
        }
      } catch (error) {
        throw fileError(error, root);
      } finally {
        if (contentId !== undefined) await rm(`${contentFolder}/${contentId}`, { force: true }).catch(() => undefined);
      }
      // The write is done whatever becomes of the orphans; the next writer tries again.
      await removeOrphans().catch(() => undefined);
      return { written: true };
    },
    async read() {
      for (;;) {
        const snapshot = await readContent(await look());
        if (snapshot) return snapshot;
      }
    },
  };
}

/** Stands for no content yet. */
const noContent = 'none';

function nameOf(token: number, version: number, contentId: string): string {
  return `${token}.${version}.${contentId}`;
}

function parseState(name: string): State | undefined {
  const match = /^(\d{1,16})\.(\d{1,16})\.(none|[0-9]+-[0-9]+-[0-9a-f]+)$/.exec(name);
  if (!match) return undefined;
  const [token, version] = [Number(match[1]), Number(match[2])];
  return Number.isSafeInteger(token) ? { name, token, version, contentId: match[3] ?? noContent } : undefined;
}

function checkHeld(lease: LiveLease, path: string): void {
  if (!Number.isSafeInteger(lease.token) || lease.token < 0) {
    throw new LeaseError(`A token must be a whole number, got ${lease.token}.`, { code: 'invalid-argument' });
  }
  if (lease.isHeld()) return;
  throw new LeaseError(
    `The lease with token ${lease.token} is no longer held; "${path}" was not touched. Acquire it anew, then claim.`,
    { code: 'lost' },
  );
}

/** Makes the names of a folder last. Windows cannot do this to a folder, and does not need it. */
function syncFolder(folder: string): void {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(folder, 'r');
    fsyncSync(descriptor);
  } catch (error) {
    if (!['EACCES', 'EINVAL', 'EISDIR', 'EPERM'].includes(codeOf(error) ?? '')) throw error;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
