/** The analyzer: one window's figures per phase, from the database. */
import type { SqlDatabase } from '../../core/ports.ts';
import type { Phase } from '../../core/rollout/phase.ts';
import type { Rollout } from '../../core/rollout/rollout.ts';
import { type Judgement, judgeRollout } from './judge-rollout.ts';
import { summariseWindowStatement } from './sql/summarise-window.ts';

export interface PhaseSummary {
  readonly phase: Phase;
  /** Only the current phase is judged; the others are shown as past. */
  readonly current: boolean;
  readonly sessions: number;
  readonly readonlySessions: number;
  /** 0 to 1. */
  readonly readonlyRate: number;
  /** Absent: nothing was acquired. */
  readonly acquireP50Ms?: number;
  readonly acquireP95Ms?: number;
  /** Share of grants that came by the lock file, 0 to 1. */
  readonly fallbackShare: number;
  readonly renewFailures: number;
}

export interface WindowSummary {
  readonly rollout: string;
  readonly phase: Phase;
  readonly windowMs: number;
  readonly phases: readonly PhaseSummary[];
  readonly judgement: Judgement;
}

interface Row {
  readonly phase: Phase;
  readonly sessions: number;
  readonly readonly_sessions: number;
  readonly acquired: number;
  readonly acquired_by_fallback: number;
  readonly renew_failures: number;
  readonly acquire_p50_ms: number | null;
  readonly acquire_p95_ms: number | null;
}

/** `windowMs` @default the rollout's own window */
export async function summarise(
  database: SqlDatabase,
  rollout: Rollout,
  windowMs: number = rollout.settings.windowMs,
): Promise<WindowSummary> {
  const { rows } = await database.query<Row>({
    text: summariseWindowStatement(`"${database.schema}"`),
    values: [windowMs, rollout.name],
  });
  const phases = rows.map((row) => summaryOf(row, rollout.phase));
  const counts = phases.find(({ current }) => current) ?? { sessions: 0, readonlySessions: 0 };
  return { rollout: rollout.name, phase: rollout.phase, windowMs, phases, judgement: judgeRollout(rollout, counts) };
}

function summaryOf(row: Row, currentPhase: Phase): PhaseSummary {
  const { phase, sessions, acquired, acquire_p50_ms, acquire_p95_ms } = row;
  return {
    phase,
    current: phase === currentPhase,
    sessions,
    readonlySessions: row.readonly_sessions,
    readonlyRate: sessions === 0 ? 0 : row.readonly_sessions / sessions,
    ...(acquire_p50_ms !== null && { acquireP50Ms: acquire_p50_ms }),
    ...(acquire_p95_ms !== null && { acquireP95Ms: acquire_p95_ms }),
    fallbackShare: acquired === 0 ? 0 : row.acquired_by_fallback / acquired,
    renewFailures: row.renew_failures,
  };
}
