/**
 * What the sandbox of payments remembers, in one file: written whole, beside it, then put in its place. It is a sandbox:
 * an event on its way is not kept, and is found by asking, as with the real provider.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError } from '../../app-error.ts';
import { readSandboxMemory, type SandboxMemory, type SandboxStorage, writeSandboxMemory } from './sandbox-memory.ts';

export function sandboxFile(path: string): SandboxStorage {
  let written = '';
  return {
    read() {
      const text = readIfThere(path);
      return text === undefined ? undefined : parse(path, text);
    },
    write(memory) {
      const text = writeSandboxMemory(memory);
      // Most calls only read.
      if (text === written) return;
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(`${path}.new`, text, { mode: 0o600 });
      renameSync(`${path}.new`, path);
      written = text;
    },
  };
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function parse(path: string, text: string): SandboxMemory {
  try {
    return readSandboxMemory(text);
  } catch (cause) {
    throw new AppError(
      `The sandbox cannot read ${path} (${cause instanceof Error ? cause.message : String(cause)}). Nothing was changed: move the file away to begin anew.`,
      { code: 'INVALID_ARGUMENT', cause },
    );
  }
}
