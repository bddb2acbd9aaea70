/**
 * The reporter asks whether the current phase is in breach, and acts once.
 *
 *   In one transaction: the rollout goes back, guarded by the version that was judged; the incident is noted with
 *   the command and its output; the notices are enqueued. Zero rows anywhere: another reporter was quicker, or a
 *   person changed the rollout meanwhile; nothing is done then.
 *
 * With `propose`, or in the first phase, only the incident and the notices are written: once per version.
 */
import type { SqlDatabase, SqlExecutor } from '../../core/ports.ts';
import type { Phase } from '../../core/rollout/phase.ts';
import type { Rollout } from '../../core/rollout/rollout.ts';
import type { Rollouts } from './create-rollouts.ts';
import type { Incident, IncidentOutcome } from './incident.ts';
import { incidentNotice } from './incident-notice.ts';
import type { Judgement } from './judge-rollout.ts';
import type { Notifier } from './notify/create-notifier.ts';
import { insertIncidentStatement } from './sql/insert-incident.ts';
import { listIncidentsStatement } from './sql/list-incidents.ts';
import { summarise, type WindowSummary } from './summarise.ts';
import type { VersionPage } from './version-page.ts';

export interface ReporterOptions {
  readonly database: SqlDatabase;
  readonly rollouts: Rollouts;
  /** @default nobody is told */
  readonly notifier?: Notifier;
  /** @default 'autosave' */
  readonly rollout?: string;
}

export interface Report {
  readonly summary: WindowSummary;
  /** Present when this call found and noted the breach. */
  readonly incident?: Incident;
}

export interface Reporter {
  /** Looks at a window and judges, without acting. @default the rollout's own window */
  look(windowMs?: number): Promise<WindowSummary>;
  /** Looks at the window, judges, and acts on a breach that nobody acted on before. */
  report(): Promise<Report>;
  /** Newest first. */
  listIncidents(page?: VersionPage): Promise<readonly Incident[]>;
}

type Breach = Extract<Judgement, { breach: true }>;

export function createReporter(options: ReporterOptions): Reporter {
  const { database, rollouts, notifier, rollout: name = 'autosave' } = options;
  const schema = `"${database.schema}"`;
  const insert = insertIncidentStatement(schema);
  const list = listIncidentsStatement(schema);

  const act = async (tx: SqlExecutor, rollout: Rollout, summary: WindowSummary, breach: Breach) => {
    const counts = summary.phases.find(({ current }) => current);
    const outcome = outcomeOf(rollout, breach);
    const command = breach.to === undefined ? null : `kannuki flags rollback --phase ${breach.to}`;
    let output: string | null = null;
    if (outcome === 'rolled-back' && breach.to !== undefined) {
      const changed = await rollouts.rollbackIn(tx, { rollout, phase: breach.to, actor: 'reporter' });
      if (!changed) return undefined;
      output = rolledBackText(name, rollout.phase, changed);
    }
    const draft: Omit<Incident, 'atMs'> = {
      rollout: name,
      version: rollout.version,
      phase: rollout.phase,
      toPhase: breach.to ?? null,
      outcome,
      sessions: counts?.sessions ?? 0,
      readonlySessions: counts?.readonlySessions ?? 0,
      threshold: breach.threshold,
      windowMs: summary.windowMs,
      command,
      output,
    };
    const { rows } = await tx.query<{ atMs: number }>({ text: insert, values: valuesOf(draft) });
    const [row] = rows;
    if (!row) return undefined;
    const incident: Incident = { ...draft, atMs: row.atMs };
    await notifier?.notify(tx, incidentNotice(incident));
    return incident;
  };

  return {
    async look(windowMs) {
      return summarise(database, await rollouts.read(name), windowMs);
    },
    async report() {
      const rollout = await rollouts.read(name);
      const summary = await summarise(database, rollout);
      const { judgement } = summary;
      if (!judgement.breach) return { summary };
      const incident = await database.transaction((tx) => act(tx, rollout, summary, judgement));
      return { summary, ...(incident && { incident }) };
    },
    async listIncidents({ limit = 100, beforeVersion } = {}) {
      return (await database.query<Incident>({ text: list, values: [name, limit, beforeVersion ?? null] })).rows;
    },
  };
}

/** What the command prints, and what an incident keeps of it. */
export function rolledBackText(name: string, from: Phase, now: Rollout): string {
  const share = Math.round(now.settings.shares[now.phase] * 1000) / 10;
  return `Rolled "${name}" back from ${from} to ${now.phase} (${share} % of clients), version ${now.version}.`;
}

function outcomeOf({ settings }: Rollout, { to }: Breach): IncidentOutcome {
  if (to === undefined) return 'no-earlier-phase';
  return settings.rollback === 'auto' ? 'rolled-back' : 'proposed';
}

function valuesOf(incident: Omit<Incident, 'atMs'>): readonly unknown[] {
  const { rollout, version, phase, toPhase, outcome, sessions, readonlySessions } = incident;
  const { threshold, windowMs, command, output } = incident;
  return [rollout, version, phase, toPhase, outcome, sessions, readonlySessions, threshold, windowMs, command, output];
}
