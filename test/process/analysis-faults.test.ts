/**
 * Workers that are killed, stopped, or live at another time than everybody else. Whatever happens to them, an analysis
 * ends with one result, and a worker that has lost its lock knows it and writes nothing.
 */
import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AnalysisOutcome, AnalysisRepo } from '../../src/systems/analysis/index.ts';
import { type AnalysisBackend, openAnalysisBackend } from '../servers/analysis-backends.ts';
import { reportComponent } from '../servers/report-component.ts';
import { faultRounds, reportFault } from './fault-rounds.ts';
import { createFleet, type StoreSpec, type Worker } from './fleet.ts';
import { repeatRounds } from './repeat-rounds.ts';

const allRounds = faultRounds('ANALYSIS', 3);
const script = new URL('analysis-worker.mjs', import.meta.url);
/** The library that `faketime` would load into a process: loaded by ourselves, the worker stays our own child. */
const library = /^LD_PRELOAD=(.+)$/m.exec(spawnSync('faketime', ['-f', '+0m', 'env']).stdout?.toString() ?? '')?.[1];

describe.each(['PostgreSQL 18', 'Firestore'] as const)('workers in trouble, on %s', (kind) => {
  const rounds = kind === 'Firestore' ? Math.ceil(allRounds / 5) : allRounds;
  const ttlMs = kind === 'Firestore' ? 2_000 : 1_000;
  let backend: AnalysisBackend;
  let repo: AnalysisRepo;
  let store: StoreSpec;
  let missing = '';
  let ids = 0;

  beforeAll(async () => {
    const found = await openAnalysisBackend(kind);
    const component = `analysis workers on ${kind}`;
    if (typeof found === 'string') {
      missing = found;
      reportComponent({ component, status: 'skipped', reason: found, avoidable: false });
      return;
    }
    reportComponent({ component, status: 'took part' });
    backend = found;
    repo = found.openRepo();
    if (!found.spec) throw new Error('other processes cannot open it');
    store = found.spec;
  });
  beforeEach(({ skip }) => skip(missing !== '', missing));
  afterAll(async () => {
    if (missing === '') await backend.close();
  });

  const create = async (): Promise<string> => {
    const id = `analysis-${++ids}`;
    await repo.createAnalysis(id);
    return id;
  };
  const hold = (worker: Worker, analysisId: string): Promise<number> => worker.ask({ command: 'hold', analysisId });
  /** What a queue does: it calls until the analysis is at its end. */
  const deliver = async (worker: Worker, analysisId: string): Promise<readonly AnalysisOutcome[]> => {
    const heard: AnalysisOutcome[] = [];
    for (const untilMs = performance.now() + 60_000; performance.now() < untilMs; ) {
      // On a busy machine the store may be later than such a short lock allows; a queue comes again.
      const outcome = await worker
        .ask<AnalysisOutcome>({ command: 'handle', analysisId })
        .catch((error: unknown): AnalysisOutcome => ({ outcome: 'lost', reason: String(error) }));
      heard.push(outcome);
      if (outcome.outcome === 'done') return heard;
      // Only time frees the lock of a worker that is gone.
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`${analysisId} was not done: ${JSON.stringify(heard.slice(-2))}`);
  };
  const expectOneResult = async (analysisId: string, by: Worker): Promise<void> => {
    const analysis = await repo.readAnalysis(analysisId);
    expect(analysis).toMatchObject({ status: 'READY', result: { by: by.pid, token: analysis?.resultToken } });
    expect(analysis?.lockOwner).toBeUndefined();
  };

  it(`${rounds} × kill -9 in the middle: another finishes after the TTL`, { timeout: 1_800_000 }, async () => {
    await using fleet = createFleet();
    const second = await fleet.start({ store, ttlMs, script });
    let slowestMs = 0;
    let refusedFirst = 0;
    const { late } = await repeatRounds(rounds, async () => {
      const id = await create();
      const first = await fleet.start({ store, ttlMs, script });
      await hold(first, id).finally(() => first.kill());
      const killedMs = performance.now();
      const heard = await deliver(second, id);
      slowestMs = Math.max(slowestMs, performance.now() - killedMs);
      if (heard[0]?.outcome === 'skipped') refusedFirst += 1;
      await expectOneResult(id, second);
    });
    // Whoever comes while the dead one's lock lives is refused; on a busy machine some come later than that.
    expect(refusedFirst).toBeGreaterThanOrEqual(Math.ceil(rounds / 2));
    reportFault({
      experiment: 'analysis kill -9',
      store: kind,
      rounds,
      late,
      ttlMs,
      refusedFirst,
      slowestFinishMs: Math.round(slowestMs),
    });
  });

  it(`${rounds} × SIGSTOP past the TTL: another finishes, the woken one knows and is refused`, {
    timeout: 1_800_000,
  }, async () => {
    await using fleet = createFleet();
    const [first, second] = await Promise.all([1, 2].map(() => fleet.start({ store, ttlMs, script })));
    if (!first || !second) throw new Error('no workers');
    const { late: lateRounds } = await repeatRounds(rounds, async () => {
      const id = await create();
      await hold(first, id);
      first.signal('SIGSTOP');
      await deliver(second, id);
      first.signal('SIGCONT');
      const late = await first.ask<boolean>({ command: 'finishLate', analysisId: id });
      expect(late, 'the late result is refused').toBe(false);
      expect((await first.ask<{ aborted: boolean }>({ command: 'state', analysisId: id })).aborted).toBe(true);
      await first.ask({ command: 'finish', analysisId: id });
      expect(await first.next<AnalysisOutcome>('handled')).toMatchObject({ outcome: 'lost' });
      await expectOneResult(id, second);
    });
    reportFault({ experiment: 'analysis SIGSTOP', store: kind, rounds, lateRounds, ttlMs, lateResultsRefused: rounds });
  });

  it(`${rounds} × workers whose clocks are wrong by ten minutes: one of them does it`, {
    timeout: 1_800_000,
  }, async ({ skip }) => {
    skip(library === undefined, 'faketime is not installed (Debian package faketime)');
    await using fleet = createFleet();
    const workers = await Promise.all(
      ['-10m', '+0m', '+10m'].map((offset) => {
        // The monotonic clock stays right: it is the wall clock that people set.
        const env = {
          FAKETIME: offset,
          LD_PRELOAD: library,
          DONT_FAKE_MONOTONIC: '1',
          FAKETIME_DONT_FAKE_MONOTONIC: '1',
        };
        return fleet.start({ store, ttlMs: 20_000, script, env });
      }),
    );
    const wallsMs = await Promise.all(workers.map((worker) => worker.ask<number>({ command: 'wall' })));
    expect(Math.max(...wallsMs) - Math.min(...wallsMs), 'the clocks are wrong').toBeGreaterThan(19 * 60_000);
    for (let round = 0; round < rounds; round++) {
      const id = await create();
      const holder = workers[round % 3];
      const others = workers.filter((worker) => worker !== holder);
      if (!holder) throw new Error('no worker');
      await hold(holder, id);
      for (const other of others) {
        // By its own clock the lock would be long over, or not begun.
        const outcome = await other.ask<AnalysisOutcome>({ command: 'handle', analysisId: id });
        expect(outcome).toMatchObject({ outcome: 'skipped', reason: 'locked' });
      }
      await holder.ask({ command: 'finish', analysisId: id });
      expect(await holder.next<AnalysisOutcome>('handled')).toEqual({ outcome: 'done' });
      await expectOneResult(id, holder);
      const contested = await create();
      const all = await Promise.all(
        workers.map((worker) => worker.ask<AnalysisOutcome>({ command: 'handle', analysisId: contested })),
      );
      expect(all.filter(({ outcome }) => outcome === 'done')).toHaveLength(1);
      expect(all.filter(({ outcome }) => outcome === 'skipped')).toHaveLength(2);
    }
    reportFault({ experiment: 'analysis clocks', store: kind, rounds, offsets: ['-10m', '+0m', '+10m'] });
  });
});
