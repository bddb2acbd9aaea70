/**
 * The catalogue of races, by the numbers of `docs/internals/reservations.md`. Each row that can occur here is a named
 * scenario; rows that have a test of their own elsewhere are not repeated.
 */
import { it } from 'vitest';
import { engineSuite } from './engine-suite.ts';
import { paymentRaces } from './payment-races.ts';
import { refundRaces } from './refund-races.ts';
import { renderRaces } from './render-races.ts';
import { slotRaces } from './slot-races.ts';

const races = [...slotRaces, ...paymentRaces, ...refundRaces, ...renderRaces];

export const raceCatalogue = engineSuite('The catalogue of races', (engine) => {
  it.each(races)('$number: $name', async ({ run, options }) => {
    if (engine.missing()) return;
    await run(await engine.open(options ?? {}));
  });
});
