/** What tabs tell each other. A message may be lost: everything works without, only more slowly. */
import { createListeners } from './listeners.ts';
import type { Channel } from './ports.ts';

export type TabMessage =
  /** Somebody waits: a session ends as soon as it can. */
  | { readonly kind: 'want'; readonly token?: number }
  /** Please flush and release the grant with this token. */
  | { readonly kind: 'please'; readonly token: number }
  /** The grant with this token was released. */
  | { readonly kind: 'freed'; readonly token: number }
  /** The record was overruled: look at it. */
  | { readonly kind: 'taken'; readonly token: number };

export interface LockChannel {
  post(message: TabMessage): void;
  /** Returns what ends it. */
  listen(listener: (message: TabMessage) => void): () => void;
  close(): void;
}

export function createLockChannel(channel: Channel | null): LockChannel {
  const { add, tell } = createListeners<TabMessage>();
  channel?.addEventListener('message', ({ data }) => tell(data as TabMessage));
  return {
    post: (message) => channel?.postMessage(message),
    listen: add,
    close: () => channel?.close(),
  };
}
