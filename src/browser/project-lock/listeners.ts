export interface Listeners<T> {
  /** Returns what ends it; doing that twice is harmless. The same listener may be added twice. */
  add(listener: (value: T) => void): () => void;
  tell(value: T): void;
}

/** Whoever wants to hear. A listener that throws harms nobody. */
export function createListeners<T = void>(): Listeners<T> {
  const all = new Set<(value: T) => void>();
  return {
    add(listener) {
      const own = (value: T): void => listener(value);
      all.add(own);
      return () => void all.delete(own);
    },
    tell(value) {
      for (const listener of [...all]) {
        try {
          // Whoever was taken off by an earlier listener hears nothing any more.
          if (all.has(listener)) listener(value);
        } catch {
          // See above.
        }
      }
    },
  };
}
