/** The end of a keeper, for whoever waits in it. Plain callbacks: an AbortController per acquire costs more than the rest. */
export interface Closing {
  readonly isClosing: () => boolean;
  /** Calls back once when the keeper closes. */
  add(onClose: () => void): void;
  remove(onClose: () => void): void;
}

export function createClosing(): Closing & { close(): void } {
  const waiting = new Set<() => void>();
  let closing = false;
  return {
    isClosing: () => closing,
    add: (onClose) => void waiting.add(onClose),
    remove: (onClose) => void waiting.delete(onClose),
    close() {
      closing = true;
      for (const onClose of [...waiting]) onClose();
      waiting.clear();
    },
  };
}
