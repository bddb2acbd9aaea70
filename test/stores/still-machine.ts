/**
 * A machine for file stores whose clocks stand still until a test moves them. Two stores are two processes on it.
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { platform } from '#platform';
import type { AcquireReply, LeaseStore, Share } from '../../src/core/ports.ts';
import { fileStore } from '../../src/stores/file/file-store.ts';
import { toKeyName } from '../../src/stores/file/key-name.ts';

/** A folder that lasts as long as the test that asks for it. */
export function makeFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'file-store-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  return dir;
}

export function stillMachine({ releaseOnCrash = true }: { readonly releaseOnCrash?: boolean } = {}) {
  const dir = makeFolder();
  const machine = { bootUs: 5_000_000_000, wallMs: 1_704_067_200_000, bootId: 'aaaaaaaa' };
  const open = (): LeaseStore =>
    fileStore({
      dir,
      releaseOnCrash,
      clock: { ...platform.clock, wallMs: () => machine.wallMs },
      boot: { bootId: machine.bootId, nowUs: () => machine.bootUs },
    });
  const pass = (ms: number): void => {
    machine.bootUs += ms * 1000;
    machine.wallMs += ms;
  };
  const folderOf = (key: string): string => join(dir, `${toKeyName(key)}.lease`);
  /** The one file's name. */
  const stateOf = (key: string): string => {
    const [name, ...others] = readdirSync(folderOf(key));
    if (name === undefined || others.length > 0) throw new Error(`${key} has ${others.length} files beside ${name}.`);
    return name;
  };
  return { dir, machine, open, pass, folderOf, stateOf, a: open(), b: open() };
}

let attempts = 0;
export const newOwner = (): string => `test.${++attempts}@host:1`;

export function acquire(store: LeaseStore, key: string, owner: string, share?: Share): Promise<AcquireReply> {
  return store.acquire({ key, owner, ttlMs: 1_000, line: false, ...(share && { share }) });
}

export async function granted(store: LeaseStore, key: string, owner: string, share?: Share) {
  const reply = await acquire(store, key, owner, share);
  if (!reply.granted) throw new Error(`${owner} was refused by ${reply.holder}`);
  return reply;
}

export const release = (store: LeaseStore, key: string, owner: string, token: number | null): Promise<boolean> =>
  store.release({ key, owner, token, acceptMs: 100 });
