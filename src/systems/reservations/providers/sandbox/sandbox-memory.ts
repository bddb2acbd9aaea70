/** What the sandbox of payments remembers, as text. */
import { type BookState, emptyBookState } from './book/book-state.ts';

export interface SandboxMemory {
  readonly state: BookState;
  readonly keys: readonly (readonly [string, unknown])[];
}

/** Where the sandbox of payments remembers. */
export interface SandboxStorage {
  /** Undefined: there is nothing yet. */
  read(): SandboxMemory | undefined;
  write(memory: SandboxMemory): void;
}

const version = 1;

export function writeSandboxMemory({ state, keys }: SandboxMemory): string {
  const lists = Object.entries(state).map(([name, part]) => [name, part instanceof Map ? [...part] : part]);
  return JSON.stringify({ version, state: Object.fromEntries(lists), keys });
}

/** Throws for what it has not written. */
export function readSandboxMemory(text: string): SandboxMemory {
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
}
