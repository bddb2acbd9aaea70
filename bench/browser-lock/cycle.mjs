// One tab, nobody else: acquire and release.
import { openBrowser } from './workers/open-browser.mjs';

export const title =
  'How long does it take one tab to acquire and release a free lock? (Chromium; only kannuki has an end, a token and a record)';

const counts = { 'kannuki, session': 20_000, 'broadcast-channel 7.4.0': 5, 'browser-tabs-lock 1.3.0': 15 };

export async function run({ quick }) {
  const { openTab, close } = await openBrowser();
  try {
    const rows = [];
    const tab = await openTab();
    for (const name of await tab.evaluate(() => window.loaded.names())) {
      const n = Math.ceil((counts[name] ?? 300) / (quick ? 3 : 1));
      const call = ([way, count]) => window.loaded.cycles(way, count, Math.min(count, 30));
      const times = await tab.evaluate(call, [name, n]);
      const at = (share) => Number(times[Math.floor(times.length * share)].toFixed(4));
      rows.push({ lock: name, 'p50 ms': at(0.5), 'p95 ms': at(0.95), cycles: n });
    }
    return { rows };
  } finally {
    await close();
  }
}
