// What the publisher costs a full cycle of the project lock. The rule was set before it was first run: pairs of blocks,
// one with the publisher and one without, in five tabs one after another; the figure is the median of the pairs'
// ratios over all tabs, beside the interval that holds the true median in 95 of 100 such runs (order statistics, no
// assumption about the noise). The limit is met when the whole interval lies below it.
import { openBrowser } from '../browser-lock/workers/open-browser.mjs';

export const title =
  'How much slower is acquire and release of the project lock while its events are published? (Chromium, pairs of blocks)';

/** So long that beginning and ending a publisher does not weigh: a page has one for its life. */
const blockSize = 100;

export async function run({ quick }) {
  const pairs = quick ? 10 : 60;
  const tabs = quick ? 1 : 5;
  const { openTab, close } = await openBrowser(new URL('workers/overhead-page.mjs', import.meta.url));
  try {
    const times = { without: [], with: [] };
    const means = { without: [], with: [] };
    const costsUs = [];
    for (let i = 0; i < tabs; i++) {
      const tab = await openTab();
      await measureTab(tab, pairs, times, means);
      costsUs.push(await tab.evaluate(() => window.loaded.eventCost(20_000)));
      await tab.close();
    }
    const ratios = means.with.map((ms, i) => ms / means.without[i]).sort((a, b) => a - b);
    const [low, high] = medianInterval(ratios);
    const costMs = median(costsUs) / 1000;
    const row = (way) => ({
      publisher: way,
      'median block, ms a cycle': round(median(means[way])),
      'p95 ms': round(at(times[way], 0.95)),
      'slower by': way === 'with' ? percent(median(ratios)) : '',
      '95 % interval': way === 'with' ? `${percent(low)} to ${percent(high)}` : '',
      cycles: times[way].length,
    });
    return {
      rows: [
        row('without'),
        row('with'),
        {
          publisher: 'its own work alone',
          'median block, ms a cycle': round(costMs, 5),
          'p95 ms': '',
          'slower by': percent(1 + costMs / median(means.without)),
          '95 % interval': '',
          cycles: 20_000 * tabs,
        },
      ],
    };
  } finally {
    await close();
  }
}

async function measureTab(tab, pairs, times, means) {
  const call = ([published, n]) => window.loaded.block(published, n);
  await tab.evaluate(call, [false, 300]);
  await tab.evaluate(call, [true, 300]);
  for (let i = 0; i < pairs; i++) {
    // Who is first changes from pair to pair, so that neither gains by it.
    for (const way of i % 2 ? ['with', 'without'] : ['without', 'with']) {
      const block = await tab.evaluate(call, [way === 'with', blockSize]);
      times[way].push(...block);
      // The browser's clock has steps of 0.1 ms: the mean of a block is finer.
      means[way].push(block.reduce((sum, ms) => sum + ms, 0) / block.length);
    }
  }
}

/** The two order statistics between which the true median lies with 95 %: n/2 ± 0.98 √n. */
function medianInterval(sorted) {
  const reach = 0.98 * Math.sqrt(sorted.length);
  const index = (value) => Math.min(sorted.length - 1, Math.max(0, value));
  return [sorted[index(Math.floor(sorted.length / 2 - reach))], sorted[index(Math.ceil(sorted.length / 2 + reach))]];
}

const at = (values, share) => [...values].sort((a, b) => a - b)[Math.floor(values.length * share)];
const median = (values) => at(values, 0.5);
const round = (value, digits = 4) => Number(value.toFixed(digits));
const percent = (ratio) => `${round((ratio - 1) * 100, 2)} %`;
