import { pictures } from './storyboard.ts';

/**
 * A service worker keeps the editor's own files, so that it opens without a server. It is asked to keep what this page
 * has loaded; where the browser has none, or forbids it, the page works as before.
 */
export async function keepForOffline(): Promise<void> {
  try {
    if (!('serviceWorker' in navigator)) return;
    await navigator.serviceWorker.register('/editor-offline.js', { scope: '/editor' });
    const { active } = await navigator.serviceWorker.ready;
    const loaded = performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname);
    const files = loaded.filter((path) => !path.startsWith('/api/'));
    const drawings = pictures.filter((picture) => picture !== 'none').map((picture) => `/scenes/${picture}.svg`);
    active?.postMessage([...new Set(['/editor', '/favicon.svg', ...drawings, ...files])]);
  } catch {
    // Nothing is kept; the page itself needs nothing more.
  }
}
