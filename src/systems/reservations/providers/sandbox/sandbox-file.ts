/**
 * What the sandbox of payments remembers, in one file: written whole, beside it, then put in its place. It is a sandbox:
 * an event on its way is not kept, and is found by asking, as with the real provider.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError } from '../../app-error.ts';
import { type BookState, emptyBookState } from './book/book-state.ts';

export interface SandboxMemory {
  readonly state: BookState;
  readonly keys: readonly (readonly [string, unknown])[];
}

export interface SandboxFile {
  /** Undefined: there is none yet. */
  read(): SandboxMemory | undefined;
  write(memory: SandboxMemory): void;
}

const version = 1;

export function sandboxFile(path: string): SandboxFile {
  let written = '';
  return {
    read() {
      const text = readIfThere(path);
      return text === undefined ? undefined : parse(path, text);
    },
    write({ state, keys }) {
      const lists = Object.entries(state).map(([name, part]) => [name, part instanceof Map ? [...part] : part]);
      const text = JSON.stringify({ version, state: Object.fromEntries(lists), keys });
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
    const memory = JSON.parse(text) as {
      readonly version: unknown;
      readonly state: Readonly<Record<string, readonly never[]>>;
      readonly keys: SandboxMemory['keys'];
    };
    if (memory.version !== version || !Array.isArray(memory.keys)) throw new Error('another version');
    const state = emptyBookState();
    for (const [name, part] of Object.entries(state) as [string, Map<never, never> | never[]][]) {
      const items = memory.state[name];
      if (!Array.isArray(items)) throw new Error(`no ${name}`);
      if (part instanceof Map) for (const [key, value] of items as [never, never][]) part.set(key, value);
      else part.push(...(items as never[]));
    }
    return { state, keys: memory.keys };
  } catch (cause) {
    throw new AppError(
      `The sandbox cannot read ${path} (${cause instanceof Error ? cause.message : String(cause)}). Nothing was changed: move the file away to begin anew.`,
      { code: 'INVALID_ARGUMENT', cause },
    );
  }
}
