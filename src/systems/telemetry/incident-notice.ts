/** The words of an incident. */
import type { Incident } from './incident.ts';
import type { Notice } from './notify/notice.ts';

export function incidentNotice(incident: Incident): Notice {
  const { rollout, version, phase, toPhase, outcome, sessions, readonlySessions, threshold, windowMs } = incident;
  const rate = `${percent(readonlySessions / sessions)} (${readonlySessions} of ${sessions} sessions)`;
  const texts = {
    'rolled-back': `It was rolled back to ${toPhase}. Clients take it up when they next ask for their flags.`,
    proposed: `Nothing was changed. To roll back, run: ${incident.command}`,
    'no-earlier-phase': 'It is the first phase, so there is nothing to go back to: look at the read-only reasons.',
  } as const;
  return {
    id: `rollout:${rollout}:${version}`,
    severity: 'critical',
    state: 'open',
    title: `${rollout}: read-only rate above ${percent(threshold)} in phase ${phase}`,
    text: texts[outcome],
    fields: {
      Rate: rate,
      Window: `${Math.round(windowMs / 60_000)} min`,
      Phase: toPhase === null ? phase : `${phase} → ${toPhase}`,
      ...(incident.command !== null && { Command: incident.command }),
      ...(incident.output !== null && { Output: incident.output }),
    },
  };
}

function percent(share: number): string {
  return `${Math.round(share * 1000) / 10} %`;
}
