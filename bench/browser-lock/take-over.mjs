// Two tabs: how soon the one who waits has it after the holder was closed or crashed; and how often both had it.
import { openBrowser } from './workers/open-browser.mjs';

export const title =
  'How soon does a waiting tab get the lock when the holder is gone, and do two ever hold it? (Chromium)';

const peers = [
  'kannuki',
  'navigator.locks',
  'browser-tabs-lock 1.3.0',
  'tab-election 4.2.8',
  'broadcast-channel 7.4.0',
];

export async function run({ quick }) {
  const world = await openBrowser();
  const rounds = quick ? 3 : 7;
  try {
    const rows = [];
    for (const name of peers) {
      // It waits for some ten seconds each time.
      const times = name.startsWith('browser-tabs-lock') ? 1 : rounds;
      const closed = await waits(world, name, 'close', times);
      const crashed = await waits(world, name, 'crash', times);
      const doubles = await countDoubles(world, name, quick ? 50 : 200);
      rows.push({ lock: name, 'after close ms': closed, 'after crash ms': crashed, ...doubles });
    }
    return { rows };
  } finally {
    await world.close();
  }
}

/** Median of what the waiting tab waited, in milliseconds. */
async function waits({ openTab, browser }, name, how, rounds) {
  const times = [];
  for (let round = 0; round < rounds; round++) {
    const [holder, waiter] = [await openTab(), await openTab()];
    await holder.evaluate((way) => window.loaded.hold(way), name);
    const waiting = waiter.evaluate((way) => window.loaded.hold(way).then(() => 'held'), name);
    // Nothing tells that a peer stands in line; half a second is enough for all of them.
    await new Promise((done) => setTimeout(done, 500));
    const startMs = performance.now();
    if (how === 'close') await holder.close();
    else await browser.crash(holder);
    const limit = new Promise((done) => setTimeout(done, 20_000, 'not within 20 s'));
    const outcome = await Promise.race([waiting.catch(() => 'failed'), limit]);
    times.push(outcome === 'held' ? performance.now() - startMs : Number.POSITIVE_INFINITY);
    waiting.catch(() => undefined);
    await waiter.close();
    if (how === 'crash') await holder.close();
  }
  return Math.round(times.sort((a, b) => a - b)[times.length >> 1]);
}

async function countDoubles({ openTab, server }, name, n) {
  // An election is no lock: a leader stays one.
  if (/election|channel/.test(name)) return { sections: 0, 'double holders': '–' };
  let open = 0;
  let doubles = 0;
  server.onTold(({ run, kind }) => {
    if (run !== name) return;
    if (kind === 'enter' && ++open > 1) doubles++;
    if (kind === 'exit') open--;
  });
  const count = name.startsWith('browser-tabs-lock') ? Math.ceil(n / 20) : n;
  const tabs = [await openTab(), await openTab()];
  const call = ([way, times]) => window.loaded.sections(way, times, way);
  await Promise.all(tabs.map((tab) => tab.evaluate(call, [name, count])));
  for (const tab of tabs) await tab.close();
  return { sections: 2 * count, 'double holders': doubles };
}
