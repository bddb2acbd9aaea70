// Keeps the editor's own files. Its page comes from the server while there is one; files with a hash in their name
// never change, so the kept ones are as good. The API is never answered from here, and no document passes through.
const name = 'kannuki-editor';

addEventListener('install', (event) => {
  // What a page sends as it goes must not wait for this worker to start: where it can be said, the API passes it by.
  event.addRoutes?.({ condition: { urlPattern: '/api/*' }, source: 'network' });
  skipWaiting();
});
addEventListener('activate', (event) => event.waitUntil(clients.claim()));

addEventListener('message', (event) => {
  if (Array.isArray(event.data)) event.waitUntil(keep(event.data));
});

addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== location.origin || pathname.startsWith('/api/')) return;
  event.respondWith(answer(request, pathname));
});

async function answer(request, pathname) {
  const cache = await caches.open(name);
  const path = request.mode === 'navigate' ? '/editor' : pathname;
  const kept = await cache.match(path);
  if (kept && pathname.startsWith('/assets/')) return kept;
  try {
    return await fetch(request);
  } catch (error) {
    if (kept) return kept;
    throw error;
  }
}

// What the page uses now, and nothing of an earlier release.
async function keep(paths) {
  const cache = await caches.open(name);
  await Promise.allSettled(paths.map((path) => keepOne(cache, path)));
  for (const { url } of await cache.keys()) {
    const { pathname } = new URL(url);
    if (pathname.startsWith('/assets/') && !paths.includes(pathname)) await cache.delete(pathname);
  }
}

async function keepOne(cache, path) {
  if (path.startsWith('/assets/') && (await cache.match(path))) return;
  const response = await fetch(path);
  if (response.ok) await cache.put(path, response);
}
