import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { faultRounds, reportFault } from './fault-rounds.ts';
import { createFleet } from './fleet.ts';
import { findTestStore, storeKinds, type TestStore } from './test-stores.ts';

interface Section {
  readonly token: number;
  readonly enteredUs: number;
  readonly leftUs: number;
}

const allRounds = faultRounds('CONTENTION', 60);
const processes = 8;

describe.each(storeKinds)('eight processes contend on %s', (kind) => {
  // A document is written in turns: a section costs tens of milliseconds there, not one.
  const rounds = kind === 'firestore' ? Math.ceil(allRounds / 12) : allRounds;
  let store: TestStore;
  let missing = '';
  beforeAll(async () => {
    const found = await findTestStore(kind);
    if (typeof found === 'string') missing = found;
    else store = found;
  });
  beforeEach(({ skip }) => skip(missing !== '', missing));
  afterAll(async () => {
    if (missing === '') await store[Symbol.asyncDispose]();
  });

  it(`${processes} × ${rounds} sections never overlap, tokens strictly increase`, { timeout: 600_000 }, async () => {
    await using fleet = createFleet();
    const workers = await Promise.all(
      Array.from({ length: processes }, () => fleet.start({ store: store.spec, ttlMs: 10_000 })),
    );
    const startedMs = performance.now();
    const done = await Promise.all(
      workers.map((worker) => worker.ask<Section[]>({ command: 'contend', key: 'hot', rounds })),
    );
    const tookMs = performance.now() - startedMs;
    const sections = done.flat().sort((a, b) => a.enteredUs - b.enteredUs);

    expect(sections).toHaveLength(processes * rounds);
    const overlaps = sections.filter((section, i) => section.enteredUs < (sections[i - 1]?.leftUs ?? 0));
    const backwards = sections.filter((section, i) => section.token <= (sections[i - 1]?.token ?? 0));
    reportFault({
      experiment: 'contention',
      store: kind,
      sections: sections.length,
      overlaps: overlaps.length,
      backwards: backwards.length,
      tookMs: Math.round(tookMs),
    });
    expect(overlaps).toEqual([]);
    expect(backwards).toEqual([]);
    // Nobody is starved: every process finished, and each was in the line more than once.
    await Promise.all(workers.map((worker) => worker.ask({ command: 'end' })));
  });
});
