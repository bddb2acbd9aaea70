import { useTranslation } from 'react-i18next';
import type { FlagsReply, IncidentsReply, LockMetricsReply } from '../../../../src/server/index.ts';
import { formatMoment, formatPercent } from '../../parts/format-time.ts';
import { Icon } from '../../parts/icon.tsx';

export interface VerdictProps {
  readonly rollout: FlagsReply['rollout'];
  readonly summary: LockMetricsReply;
  /** The newest one. */
  readonly incident: IncidentsReply['incidents'][number] | undefined;
}

/** One sentence: how it stands, and what happened last if that is why. */
export function Verdict({ rollout, summary, incident }: VerdictProps) {
  const { t, i18n } = useTranslation();
  const { judgement } = summary;
  const now = summary.phases.find(({ current }) => current);
  const figures = {
    rate: formatPercent(judgement.rate),
    limit: formatPercent(rollout.settings.thresholds[rollout.phase]),
    sessions: now?.sessions ?? 0,
    min: rollout.settings.minSessions,
  };
  const sentence = judgement.breach
    ? t('rollout.verdict_breach', figures)
    : t(`rollout.verdict_${judgement.why}`, figures);
  const fresh = incident?.outcome === 'rolled-back' && incident.toPhase === rollout.phase ? incident : undefined;
  const state = judgement.breach ? 'critical' : fresh ? 'warn' : 'info';
  return (
    <div className="note" data-state={state} role="status">
      <Icon name={`s-${state}`} />
      <div>
        <strong>
          {fresh
            ? `${fresh.phase} → ${fresh.toPhase} · ${formatMoment(fresh.atMs, i18n.language)}`
            : `${rollout.phase} · ${formatPercent(rollout.settings.shares[rollout.phase])}`}
        </strong>
        <p>
          {fresh &&
            t('rollout.incidentText', {
              rate: formatPercent(fresh.readonlySessions / fresh.sessions),
              sessions: fresh.sessions,
            })}{' '}
          {sentence}
        </p>
      </div>
    </div>
  );
}
