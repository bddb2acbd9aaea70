/**
 * What a client has not read yet. It holds no more than `maxBytes`: beyond that everything in it gives way to one
 * `reset`, so a slow client costs little and misses nothing that it would not load anew.
 */
import type { FeedMessage } from './event-text.ts';

export interface UnreadMessages {
  add(message: FeedMessage): void;
  /** Everything that waits, as one piece; waits for the first if there is none. Undefined: closed. */
  take(): Promise<Uint8Array | undefined>;
  close(): void;
}

export function createUnreadMessages(maxBytes: number): UnreadMessages {
  let waiting: Uint8Array[] = [];
  let bytes = 0;
  let closed = false;
  let wake: (() => void) | undefined;
  const put = (piece: Uint8Array): void => {
    waiting.push(piece);
    bytes += piece.length;
    wake?.();
  };
  return {
    add(message) {
      // Whoever has something to read needs no sign of life.
      if (closed || (message.kind === 'alive' && waiting.length > 0)) return;
      const isTooMuch = bytes + message.bytes.length > maxBytes;
      if (isTooMuch || message.kind === 'reset') {
        waiting = [];
        bytes = 0;
      }
      put(isTooMuch ? message.instead : message.bytes);
    },
    async take() {
      while (waiting.length === 0 && !closed) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      const [first, ...more] = waiting;
      waiting = [];
      bytes = 0;
      return more.length === 0 || !first ? first : Buffer.concat([first, ...more]);
    },
    close() {
      closed = true;
      wake?.();
    },
  };
}
