/**
 * The catalogue of races, by the numbers of `docs/internals/reservations.md`. Each row that can occur here is a named
 * scenario, or is named with the test that shows it.
 */
import { expect, it } from 'vitest';
import { engineSuite } from './engine-suite.ts';
import { newsRaces } from './news-races.ts';
import { paymentRaces } from './payment-races.ts';
import { refundRaces } from './refund-races.ts';
import { renderRaces } from './render-races.ts';
import { slotRaces } from './slot-races.ts';

const races = [...slotRaces, ...paymentRaces, ...refundRaces, ...renderRaces, ...newsRaces];

/** Rows that need a real client, or more than a scenario. */
const elsewhere: Readonly<Record<number, string>> = {
  32: 'stripe-adapter.test.ts: a remembered failure',
  43: 'delivery-faults.ts: one mail per cause',
  54: 'slot-lock.ts: the lock of a slot; two slots at once are never locked',
  55: '13: a slot that was sold again is found by a savepoint inside the transaction',
  62: 'stripe-adapter.test.ts: objects are fetched through the pinned client',
};
/** Features that do not exist: partial bank transfers, renewal, waiting list, forcing a sold slot. */
const impossible = [25, 51, 52, 53, 60];

export const raceCatalogue = engineSuite('The catalogue of races', (engine) => {
  it('has every row', () => {
    const named = new Set([...races.map(({ number }) => number), ...Object.keys(elsewhere).map(Number), ...impossible]);
    const rows = Array.from({ length: 62 }, (_, i) => i + 1);
    expect(rows.filter((row) => !named.has(row))).toEqual([]);
  });

  it.each(races)('$number: $name', async ({ run, options }) => {
    if (engine.missing()) return;
    await run(await engine.open(options ?? {}));
  });
});
