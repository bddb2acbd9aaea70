/** Randomised histories with deaths at any statement or call; the long form is `npm run faults -- reservations`. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SqlDatabase } from '../../src/core/ports.ts';
import { type OpenedEngine, postgres18 } from './booking-engines.ts';
import { type HistoryOptions, runHistories } from './money-history.ts';
import * as planted from './planted-bugs.ts';

const slots = 25;
const first = Number(process.env.KANNUKI_RESERVATIONS_FIRST_SEED ?? 1);
const histories = Number(process.env.KANNUKI_FAULTS_RESERVATIONS ?? 1_000);

describe('randomised histories', () => {
  let engine: OpenedEngine | undefined;
  let common: SqlDatabase | undefined;
  let count = 0;
  beforeAll(async () => {
    engine = await postgres18.open();
  }, 240_000);
  afterAll(async () => {
    await engine?.close();
  });
  const run = (options: Partial<HistoryOptions> & { readonly seed: number }) => {
    if (!engine) throw new Error('PostgreSQL 18 cannot be had here');
    common ??= engine.database('histories', { max: 3 });
    // A bug that changes the tables gets tables of its own.
    const database = options.prepare ? engine.database(`histories_${++count}`, { max: 3 }) : common;
    return runHistories(database, { slots, steps: 30, ...options });
  };

  it(`${histories} histories with deaths, lost calls, doubled and shuffled news: the books balance`, async ({
    skip,
  }) => {
    if (!engine) return skip('PostgreSQL 18 cannot be had here');
    const totals = { charges: 0, refunds: 0, deaths: 0, lostCalls: 0 };
    const statuses: Record<string, number> = {};
    const batches = Math.ceil(histories / slots);
    for (let seed = first; seed < first + batches; seed++) {
      const report = await run({ seed });
      expect(report.problems, `seed ${seed}`).toEqual([]);
      for (const name of ['charges', 'refunds', 'deaths', 'lostCalls'] as const) totals[name] += report[name];
      for (const [status, n] of Object.entries(report.statuses)) statuses[status] = (statuses[status] ?? 0) + n;
    }
    console.log(JSON.stringify({ histories: batches * slots, firstSeed: first, ...totals, ...statuses }));
    // A history in which nothing happens proves nothing.
    for (const status of ['served', 'expired', 'cancelled']) expect(statuses[status] ?? 0).toBeGreaterThan(batches);
    expect(totals.refunds).toBeGreaterThan(batches);
    expect(totals.deaths).toBeGreaterThan(batches);
  }, 3_600_000);

  const bugs: readonly {
    readonly name: string;
    readonly bug: Partial<HistoryOptions>;
    readonly cell?: Parameters<typeof planted.withCell> extends [...infer Cell, unknown] ? Cell : never;
  }[] = [
    { name: 'the sweep frees a slot without asking the provider', bug: { tamper: planted.oneStepExpiry } },
    { name: 'an overdue hold is freed whether it is paid or not', bug: { tamper: planted.lazyFreesAll } },
    { name: 'the first words about a session are believed for ever', bug: { tamper: planted.ownWords } },
    { name: 'complete is taken for paid', bug: { tamper: planted.completeMeansPaid(() => 0) } },
    { name: 'effects are enqueued outside the transaction', bug: { tamper: planted.effectsOutside } },
    { name: 'a key is forgotten', bug: { tamper: planted.keysForgotten, prepare: planted.dropKeyIndex } },
    { name: 'the slot has no unique index', bug: { prepare: planted.dropSlotIndex } },
    { name: 'money for a cancelled reservation is kept', bug: {}, cell: ['paid (charged in time)', 'cancelled', '='] },
    { name: 'a cancelled reservation is not refunded', bug: {}, cell: ['user cancels', 'confirmed', 'cancelled'] },
    { name: 'late money confirms', bug: {}, cell: ['paid (charged late)', 'expiring', 'confirmed'] },
  ];

  it.each(bugs)(
    'the checker finds a planted bug: $name',
    async ({ bug, cell }) => {
      if (!engine) return;
      for (let seed = 1; seed <= 12; seed++) {
        const work = () => run({ seed, ...bug });
        const { problems } = await (cell ? planted.withCell(...cell, work) : work());
        if (problems.length > 0) {
          console.log(seed, problems[0]);
          return;
        }
      }
      expect.fail('no seed showed it');
    },
    600_000,
  );
});
