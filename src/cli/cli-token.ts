/**
 * The local admin token: `<data>/cli-token`, readable by its owner only. `serve` makes it, the command line reads it.
 * It is sent to this machine only; for others KANNUKI_API_TOKEN is asked for.
 */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '../core/ports.ts';
import { CliError } from './cli-error.ts';
import { exitCodes } from './exit-codes.ts';
import type { Messages } from './messages.ts';

const bytes = 32;

export function cliTokenPath(dataDir: string): string {
  return join(dataDir, 'cli-token');
}

/** The token of this data folder, made if there is none. */
export function ensureCliToken(dataDir: string, random: Random, messages: Messages): string {
  const path = cliTokenPath(dataDir);
  const found = readCliToken(dataDir);
  if (found !== undefined) {
    chmodSync(path, 0o600);
    return found;
  }
  if (existsSync(path)) throw new CliError(messages.unusableToken(path), exitCodes.failed);
  mkdirSync(dataDir, { recursive: true });
  try {
    // Exclusive, so that two starters agree on one token.
    writeFileSync(path, `${random.hex(bytes)}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const made = readCliToken(dataDir);
  if (made === undefined) throw new CliError(messages.unusableToken(path), exitCodes.failed);
  return made;
}

export function readCliToken(dataDir: string): string | undefined {
  try {
    const text = readFileSync(cliTokenPath(dataDir), 'utf8').trim();
    return /^[0-9a-f]{64}$/.test(text) ? text : undefined;
  } catch {
    return undefined;
  }
}
