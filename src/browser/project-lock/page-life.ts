/**
 * What a page goes through. Into the back/forward cache: the gate is let go inside the event, since a message to the
 * worker would only be read after the return. Frozen: whatever the worker holds open is closed by ending the worker,
 * because a frozen holder of the mutex would stop every other tab. Back again, or looked at again: the held check,
 * before any write. Returns what ends it.
 */
export function watchPageLife(onCached: () => void, onFrozen: () => void, onBack: () => void): () => void {
  const controller = new AbortController();
  const on = (target: EventTarget, types: string, run: (event: Event) => void): void => {
    for (const type of types.split(' ')) target.addEventListener(type, run, controller);
  };
  if (globalThis.document) {
    on(window, 'pagehide', (event) => (event as PageTransitionEvent).persisted && onCached());
    on(document, 'freeze', onFrozen);
    on(document, 'resume visibilitychange', onBack);
    on(window, 'pageshow focus', onBack);
  }
  return () => controller.abort();
}
