// What the publisher costs a full cycle of the project lock, in one tab, in turns.
import { openBrowser } from '../browser-lock/workers/open-browser.mjs';

export const title =
  'How much slower is acquire and release of the project lock while its events are published? (Chromium, blocks in turns)';

/** So long that beginning and ending a publisher does not weigh: a page has one for its life. */
const blockSize = 100;

export async function run({ quick }) {
  const { openTab, close } = await openBrowser(new URL('workers/overhead-page.mjs', import.meta.url));
  try {
    const tab = await openTab();
    const call = ([published, n]) => window.loaded.block(published, n);
    await tab.evaluate(call, [false, 100]);
    await tab.evaluate(call, [true, 100]);
    const times = { without: [], with: [] };
    /** The browser's clock has steps of 0.1 ms: the mean of a block is finer. */
    const means = { without: [], with: [] };
    const blocks = quick ? 10 : 60;
    for (let i = 0; i < blocks; i++) {
      // Who is first changes from pair to pair, so that neither gains by it.
      for (const way of i % 2 ? ['with', 'without'] : ['without', 'with']) {
        const block = await tab.evaluate(call, [way === 'with', blockSize]);
        times[way].push(...block);
        means[way].push(block.reduce((sum, ms) => sum + ms, 0) / block.length);
      }
    }
    const costUs = await tab.evaluate(() => window.loaded.eventCost(20_000));
    const p50 = { without: median(means.without), with: median(means.with) };
    const row = (way) => ({
      publisher: way,
      'median block, ms a cycle': round(p50[way]),
      'p95 ms': round(at(times[way], 0.95)),
      // Within a pair of blocks: the tab itself is slower in some seconds than in others.
      'slower by': `${round((median(means[way].map((ms, i) => ms / means.without[i])) - 1) * 100, 2)} %`,
      cycles: times[way].length,
    });
    return {
      rows: [
        row('without'),
        row('with'),
        {
          publisher: 'its own work alone',
          'median block, ms a cycle': round(costUs / 1000, 5),
          'p95 ms': '',
          'slower by': `${round((costUs / 1000 / p50.without) * 100, 2)} %`,
          cycles: 20_000,
        },
      ],
    };
  } finally {
    await close();
  }
}

const at = (values, share) => [...values].sort((a, b) => a - b)[Math.floor(values.length * share)];
const median = (values) => at(values, 0.5);
const round = (value, digits = 4) => Number(value.toFixed(digits));
