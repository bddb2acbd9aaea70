/** Wall clocks that are wrong by hours decide nothing: expiry is judged by the store, deadlines are durations. */
import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reportComponent } from '../servers/report-component.ts';
import { faultRounds, reportFault } from './fault-rounds.ts';
import { createFleet, type Worker } from './fleet.ts';
import { openTestStore, type TestStore } from './test-stores.ts';

const rounds = faultRounds('CLOCKS', 20);
const offsets = ['-10m', '+10m', '-6h', '+6h'];
/** The library that `faketime` would load into a process: loaded by ourselves, the worker stays our own child. */
const library = /^LD_PRELOAD=(.+)$/m.exec(spawnSync('faketime', ['-f', '+0m', 'env']).stdout?.toString() ?? '')?.[1];
const installed = library !== undefined;
reportComponent(
  installed
    ? { component: 'faketime', status: 'took part' }
    : {
        component: 'faketime',
        status: 'skipped',
        reason: 'faketime is not installed (Debian package faketime)',
        avoidable: process.getuid?.() === 0,
      },
);

describe.skipIf(!installed)('processes with wrong wall clocks', () => {
  let store: TestStore;
  beforeAll(async () => {
    store = await openTestStore('postgres');
  });
  afterAll(() => store[Symbol.asyncDispose]());

  it(`${offsets.length} processes × ${rounds} sections never overlap, and a dead holder is replaced after its TTL`, {
    timeout: 600_000,
  }, async () => {
    await using fleet = createFleet();
    const start = (offset: string): Promise<Worker> =>
      fleet.start({
        store: store.spec,
        ttlMs: 1_000,
        // The monotonic clock stays right: it is the wall clock that people set.
        env: { FAKETIME: offset, LD_PRELOAD: library, DONT_FAKE_MONOTONIC: '1', FAKETIME_DONT_FAKE_MONOTONIC: '1' },
      });
    const workers = await Promise.all(offsets.map(start));
    const wallsMs = await Promise.all(workers.map((worker) => worker.ask<number>({ command: 'wall' })));
    expect(Math.max(...wallsMs) - Math.min(...wallsMs), 'the clocks are wrong').toBeGreaterThan(11 * 3_600_000);

    const done = await Promise.all(
      workers.map((worker) =>
        worker.ask<{ token: number; enteredUs: number; leftUs: number }[]>({
          command: 'contend',
          key: 'clocks',
          rounds,
        }),
      ),
    );
    const sections = done.flat().sort((a, b) => a.enteredUs - b.enteredUs);
    const overlaps = sections.filter((section, i) => section.enteredUs < (sections[i - 1]?.leftUs ?? 0));
    expect(sections).toHaveLength(offsets.length * rounds);
    expect(overlaps).toEqual([]);
    expect(sections.every((section, i) => section.token > (sections[i - 1]?.token ?? 0))).toBe(true);

    const [behind, ahead] = workers;
    if (!behind || !ahead) throw new Error('no workers');
    await store.createDocument('dead');
    await behind.ask({ command: 'hold', key: 'dead' });
    await behind.kill();
    const killedMs = performance.now();
    const next = await ahead.ask<{ acquired: boolean }>({ command: 'hold', key: 'dead' });
    const takeoverMs = Math.round(performance.now() - killedMs);
    expect(next.acquired).toBe(true);
    expect(takeoverMs, 'not before the holder’s TTL had a chance to end').toBeGreaterThan(500);
    reportFault({
      experiment: 'wrong-clocks',
      offsets,
      sections: sections.length,
      overlaps: overlaps.length,
      takeoverMs,
    });
  });
});
