import { describe, expect, it } from 'vitest';
import type { SqlDatabase, SqlStatement } from '../../core/ports.ts';
import { defaultRolloutSettings, type Rollout } from '../../core/rollout/rollout.ts';
import { summarise } from './summarise.ts';

const rollout: Rollout = {
  name: 'autosave',
  phase: 'B-0',
  settings: { ...defaultRolloutSettings, windowMs: 600_000 },
  version: 3,
  phaseSinceMs: 0,
};

const row = {
  phase: 'B-0',
  sessions: 40,
  readonly_sessions: 10,
  acquired: 30,
  acquired_by_fallback: 6,
  renew_failures: 2,
  acquire_p50_ms: 12,
  acquire_p95_ms: 80,
};

/** What the statement counts is tested on PostgreSQL; here its answer is given. */
function answering(rows: readonly object[]): { readonly database: SqlDatabase; readonly asked: SqlStatement[] } {
  const asked: SqlStatement[] = [];
  const query = async (statement: SqlStatement) => {
    asked.push(statement);
    return { rows, rowCount: rows.length };
  };
  return { database: { schema: 'kannuki', query } as unknown as SqlDatabase, asked };
}

describe('summarise', () => {
  it('shows shares of what there was, and judges the current phase by its own counts', async () => {
    const past = { ...row, phase: 'A-2', sessions: 100, readonly_sessions: 0 };
    const { database, asked } = answering([past, row]);
    const summary = await summarise(database, rollout);
    expect(summary).toMatchObject({ rollout: 'autosave', phase: 'B-0', windowMs: 600_000 });
    expect(summary.phases).toEqual([
      expect.objectContaining({ phase: 'A-2', current: false, readonlyRate: 0 }),
      {
        phase: 'B-0',
        current: true,
        sessions: 40,
        readonlySessions: 10,
        readonlyRate: 0.25,
        acquireP50Ms: 12,
        acquireP95Ms: 80,
        fallbackShare: 0.2,
        renewFailures: 2,
      },
    ]);
    expect(summary.judgement).toEqual({ breach: true, rate: 0.25, threshold: 0.05, to: 'A-2' });
    expect(asked.map(({ values }) => values)).toEqual([[600_000, 'autosave']]);
    expect(asked[0]?.text).toContain('"kannuki".');
  });

  it('nothing counted is a rate of 0, not no number, and times that were not taken are absent', async () => {
    const empty = { ...row, sessions: 0, readonly_sessions: 0, acquired: 0, acquired_by_fallback: 0 };
    const { database } = answering([{ ...empty, acquire_p50_ms: null, acquire_p95_ms: null }]);
    const [phase] = (await summarise(database, rollout, 1_000)).phases;
    expect(phase).toMatchObject({ readonlyRate: 0, fallbackShare: 0 });
    expect(phase).not.toHaveProperty('acquireP50Ms');
    expect(phase).not.toHaveProperty('acquireP95Ms');
  });

  it('a phase that was only just entered has no sessions, and those of the one before do not count for it', async () => {
    const { database } = answering([{ ...row, phase: 'A-2' }]);
    expect((await summarise(database, rollout)).judgement).toEqual({ breach: false, why: 'no-sessions', rate: 0 });
  });
});
