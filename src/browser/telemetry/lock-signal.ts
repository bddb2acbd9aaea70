/**
 * What the publisher reads of the lock's events. It takes the words it knows and nothing else: an event that grows a
 * field, or an error with a document's text in its message, cannot widen what leaves the page.
 */
export interface LockEvent {
  readonly type: string;
  readonly operation?: string;
  readonly strategy?: string;
  readonly reason?: string;
  readonly error?: { readonly code?: unknown };
  readonly lease?: { readonly strategy?: string };
}

/** One line of what is sent, but for its time and count. */
export interface LockSignal {
  readonly name: string;
  readonly strategy?: string;
  readonly operation?: string;
  readonly reason?: string;
  readonly code?: string;
  readonly durationMs?: number;
}

/** Undefined: nothing that is counted. */
export function lockSignal(event: LockEvent): LockSignal | undefined {
  const { type, operation, strategy, reason } = event;
  switch (type) {
    case 'lock:attempt':
      return { name: 'autosave.lock.attempt', ...known({ operation, strategy }) };
    case 'lock:acquired':
      return { name: 'autosave.lock.acquired', ...known({ strategy: event.lease?.strategy }) };
    case 'lock:renewed':
      return { name: 'autosave.lock.renewed', ...known({ strategy: event.lease?.strategy }) };
    case 'lock:error':
      return { name: 'autosave.lock.error', ...known({ operation, code: event.error?.code }) };
    case 'lock:readonly-entered':
      return { name: 'autosave.lock.readonly', ...known({ reason }) };
  }
}

/** Words of our own vocabulary are short and plain; anything else is left out. */
function known(words: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const plain = (word: unknown): word is string => typeof word === 'string' && /^[a-z][a-z-]{0,31}$/.test(word);
  return Object.fromEntries(Object.entries(words).flatMap(([name, word]) => (plain(word) ? [[name, word]] : [])));
}
