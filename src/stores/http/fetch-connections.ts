/** Requests and answers by `fetch`, where the platform has nothing quicker or the caller brought its own. */
import type { Connections } from '../../core/connections.ts';

export function fetchConnections(base: string, send: typeof fetch): Connections {
  const underWay = new Set<AbortController>();

  async function read(url: string, init: RequestInit, given: AbortController) {
    underWay.add(given);
    try {
      const response = await send(url, init);
      return { status: response.status, text: await response.text() };
    } finally {
      underWay.delete(given);
    }
  }

  return {
    exchange({ path, ...init }) {
      const given = new AbortController();
      return {
        answer: read(`${base}${path}`, { ...init, redirect: 'manual', signal: given.signal }, given),
        cancel: () => given.abort(),
      };
    },
    close() {
      for (const given of underWay) given.abort();
    },
  };
}
