/**
 * One of the two processes of `kannuki demo chaos`: takes the lease, claims the document, says so, waits for the word
 * and writes. What it says is one JSON line each on standard output; what it hears are lines on standard input.
 *
 * It writes as a process does that looked at its lease a moment before it was stopped: its own look says "held". Only
 * the document itself can know better, and it does.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createLeases } from '../../engine/lease-keeper.ts';
import { fencedFile, fileStore } from '../../stores/file/index.ts';
import type { CliContext } from '../cli-context.ts';
import { exitCodes } from '../exit-codes.ts';

export interface ChaosWorkerOptions {
  readonly dir: string;
  readonly name: string;
  readonly ttlMs: string;
  /** False: the document is a plain file. */
  readonly fence: boolean;
}

export type ChaosWord =
  | { readonly says: 'holding'; readonly token: number }
  | { readonly says: 'wrote'; readonly accepted: boolean; readonly fence: number };

export const chaosKey = 'demo/chaos';

export async function runChaosWorker(context: CliContext, options: ChaosWorkerOptions): Promise<number> {
  const { dir, name, fence } = options;
  const leases = createLeases({
    store: fileStore({ dir: join(dir, 'leases'), releaseOnCrash: false }),
    ttlMs: Number(options.ttlMs),
    name,
    platform: context.platform,
  });
  const say = (word: ChaosWord): void => context.print(JSON.stringify(word));
  const words = createInterface(process.stdin)[Symbol.asyncIterator]();
  const outcome = await leases.acquire(chaosKey);
  if (!outcome.acquired) return exitCodes.conflict;
  const { token } = outcome.lease;
  const unaware = { token, isHeld: () => true };
  const document = chaosDocument(dir);
  if (fence) await document.claim(outcome.lease);
  say({ says: 'holding', token });
  await words.next();
  if (fence) {
    const written = await document.write(unaware, `written by ${name}`);
    say({ says: 'wrote', accepted: written.written, fence: written.written ? token : written.token });
  } else {
    writeFileSync(join(dir, 'plain'), `written by ${name}`);
    say({ says: 'wrote', accepted: true, fence: 0 });
  }
  await words.next();
  await leases.close();
  return exitCodes.ok;
}

/** What the document says now. */
export async function readChaosDocument(dir: string, fence: boolean): Promise<string> {
  if (!fence) return readFileSync(join(dir, 'plain'), 'utf8');
  return (await chaosDocument(dir).read()).content?.toString() ?? '';
}

function chaosDocument(dir: string): ReturnType<typeof fencedFile> {
  return fencedFile(join(dir, 'document'));
}
