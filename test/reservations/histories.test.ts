/** Randomised histories with deaths at any statement or call; the long form is `npm run faults -- reservations`. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SqlDatabase } from '../../src/core/ports.ts';
import { reportFault } from '../process/fault-rounds.ts';
import { type OpenedEngine, postgres18 } from './booking-engines.ts';
import { type HistoryOptions, type HistoryReport, runHistories } from './money-history.ts';
import * as planted from './planted-bugs.ts';

/** One batch. Small enough that a seed that fails is told again in seconds. */
const slots = 250;
const steps = 10;
/** Batches at once, each on tables of its own: while one waits for the database, another one works. */
const lanes = 3;
/** One batch in so many talks to the provider on loopback through the real SDK. */
const everyLoopback = 5;
const first = Number(process.env.KANNUKI_RESERVATIONS_FIRST_SEED ?? 1);
const histories = Number(process.env.KANNUKI_FAULTS_RESERVATIONS ?? 5_000);

let engine: OpenedEngine | undefined;
const databases = new Map<string, SqlDatabase>();
const tablesOf = (name: string): SqlDatabase => {
  if (!engine) throw new Error('PostgreSQL 18 cannot be had here');
  const database = databases.get(name) ?? engine.database(name, { max: 3 });
  databases.set(name, database);
  return database;
};

beforeAll(async () => {
  engine = await postgres18.open();
}, 240_000);
afterAll(async () => {
  await engine?.close();
});

describe('randomised histories', () => {
  const batches = Math.ceil(histories / slots);

  it(`${batches * slots} histories with deaths, lost calls, doubled and shuffled news: the books balance`, async ({
    skip,
  }) => {
    if (!engine) return skip('PostgreSQL 18 cannot be had here');
    const startedMs = performance.now();
    const left = Array.from({ length: batches }, (_, i) => first + i);
    const reports: HistoryReport[] = [];
    const run = async (lane: number): Promise<void> => {
      for (let seed = left.shift(); seed !== undefined; seed = left.shift()) {
        const provider = seed % everyLoopback === 0 ? 'loopback' : 'double';
        const report = await runHistories(tablesOf(`histories_${lane}`), { seed, slots, steps, provider });
        expect(report.problems, `seed ${seed}, ${provider}`).toEqual([]);
        reports.push(report);
      }
    };
    await Promise.all(Array.from({ length: lanes }, (_, lane) => run(lane)));
    const sum = (pick: (report: HistoryReport) => number): number => reports.reduce((n, one) => n + pick(one), 0);
    const ended = (status: string): number => sum(({ statuses }) => statuses[status] ?? 0);
    const totals = {
      charges: sum(({ charges }) => charges),
      refunds: sum(({ refunds }) => refunds),
      deaths: sum(({ deaths }) => deaths),
      lostCalls: sum(({ lostCalls }) => lostCalls),
      sdkRequests: sum(({ requests }) => requests),
      served: ended('served'),
      expired: ended('expired'),
      cancelled: ended('cancelled'),
    };
    const seconds = Math.round((performance.now() - startedMs) / 1000);
    reportFault({ experiment: 'histories', histories: batches * slots, firstSeed: first, seconds, ...totals });
    // A history in which nothing happens proves nothing.
    expect(totals.charges).toBeGreaterThan(batches * slots * 0.4);
    for (const name of ['refunds', 'deaths', 'lostCalls', 'served', 'expired', 'cancelled'] as const) {
      expect(totals[name], name).toBeGreaterThan(batches * slots * 0.05);
    }
    if (batches >= everyLoopback) expect(totals.sdkRequests).toBeGreaterThan(batches * slots * 0.5);
  }, 7_200_000);
});

describe('the checker finds a planted bug', () => {
  interface Bug extends Partial<HistoryOptions> {
    readonly name: string;
    /** Where it is seen soonest; the other seeds come after it. @default 1 */
    readonly from?: number;
    readonly cell?: Parameters<typeof planted.withCell> extends [...infer Cell, unknown] ? Cell : never;
  }
  const bugs: readonly Bug[] = [
    { name: 'the sweep frees a slot without asking the provider', tamper: planted.oneStepExpiry },
    { name: 'an overdue hold is freed whether it is paid or not', tamper: planted.lazyFreesAll },
    { name: 'the first words about a session are believed for ever', tamper: planted.ownWords, from: 3 },
    { name: 'complete is taken for paid', tamper: planted.completeMeansPaid(() => 0) },
    { name: 'effects are enqueued outside the transaction', tamper: planted.effectsOutside, from: 4 },
    { name: 'a key is forgotten', tamper: planted.keysForgotten, prepare: planted.dropKeyIndex },
    { name: 'the slot has no unique index', prepare: planted.dropSlotIndex },
    { name: 'money for a cancelled reservation is kept', cell: ['paid (charged in time)', 'cancelled', '='] },
    { name: 'a cancelled reservation is not refunded', cell: ['user cancels', 'confirmed', 'cancelled'], from: 2 },
    { name: 'late money confirms', cell: ['paid (charged late)', 'expiring', 'confirmed'], from: 5 },
    {
      name: 'a voucher that nobody heard of is late',
      tamper: planted.vouchersForgotten,
      provider: 'loopback',
      from: 6,
    },
    { name: 'the SDK makes up the keys', tamper: planted.keysOfTheSdk, provider: 'loopback' },
  ];

  it.each(bugs)(
    '$name',
    async ({ name, cell, from = 1, ...bug }) => {
      if (!engine) return;
      // A bug that changes the tables gets tables of its own.
      const tables = tablesOf(bug.prepare ? `bug_${databases.size}` : 'histories_0');
      for (const seed of [from, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]) {
        const work = () => runHistories(tables, { seed, slots: 60, steps, ...bug });
        const { problems } = await (cell ? planted.withCell(...cell, work) : work());
        if (problems.length === 0) continue;
        console.log(`${name}: seed ${seed}: ${problems[0]}`);
        return;
      }
      expect.fail('no seed showed it');
    },
    600_000,
  );
});
