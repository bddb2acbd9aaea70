import { useTranslation } from 'react-i18next';
import type { FlagsReply, LockMetricsReply } from '../../../../src/server/index.ts';
import { formatPercent } from '../../parts/format-time.ts';
import { StateBadge } from '../../parts/state-badge.tsx';

export interface WindowFiguresProps {
  readonly rollout: FlagsReply['rollout'];
  readonly summary: LockMetricsReply;
}

/** The current phase in numbers, and the earlier ones beside it. */
export function WindowFigures({ rollout, summary }: WindowFiguresProps) {
  const { t } = useTranslation();
  const { judgement, windowMs } = summary;
  const minutes = Math.round(windowMs / 60_000);
  const now = summary.phases.find(({ current }) => current);
  const past = summary.phases.filter(({ current }) => !current);
  const limit = formatPercent(rollout.settings.thresholds[rollout.phase]);
  const ms = (value: number | undefined): string => (value === undefined ? '–' : `${Math.round(value)} ms`);
  return (
    <div className="grid g-main">
      <section className="card">
        <div className="card-h">
          <h2>{t('rollout.last', { phase: rollout.phase, minutes })}</h2>
          <span className="push">
            {judgement.breach ? (
              <StateBadge state="critical" word={t('state.breach', { limit })} />
            ) : judgement.why === 'within-threshold' ? (
              <StateBadge state="ok" icon="s-succeeded" word={t('state.ok', { limit })} />
            ) : (
              <StateBadge state="info" word={t('state.few')} />
            )}
          </span>
        </div>
        <dl className="kv">
          <Figure name={t('rollout.sessions')} value={String(now?.sessions ?? 0)} />
          <Figure
            name={t('rollout.readonly')}
            value={String(now?.readonlySessions ?? 0)}
            small={formatPercent(now?.readonlyRate ?? 0)}
          />
          <Figure name={t('rollout.p50')} value={ms(now?.acquireP50Ms)} />
          <Figure name={t('rollout.p95')} value={ms(now?.acquireP95Ms)} />
          <Figure name={t('rollout.fallback')} value={formatPercent(now?.fallbackShare ?? 0)} />
          <Figure name={t('rollout.renewFailures')} value={String(now?.renewFailures ?? 0)} />
        </dl>
      </section>
      <section className="card">
        <div className="card-h">
          <h2>{t('rollout.past')}</h2>
          <span className="push mute xs">{t('rollout.pastNote')}</span>
        </div>
        <table className="tbl compact">
          <tbody>
            {past.map(({ phase, sessions, readonlySessions, readonlyRate }) => (
              <tr key={phase}>
                <td>{phase}</td>
                <td className="r">
                  {readonlySessions} / {sessions}
                </td>
                <td className="r">{formatPercent(readonlyRate)}</td>
              </tr>
            ))}
            {past.length === 0 && (
              <tr>
                <td className="mute">{t('rollout.none')}</td>
              </tr>
            )}
          </tbody>
        </table>
      </section>
    </div>
  );
}

function Figure({ name, value, small }: { readonly name: string; readonly value: string; readonly small?: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {value} {small !== undefined && <small>{small}</small>}
      </dd>
    </div>
  );
}
