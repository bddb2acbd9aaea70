import { useTranslation } from 'react-i18next';
import type { FlagsReply, IncidentsReply } from '../../../../src/server/index.ts';
import { formatMoment, formatPercent } from '../../parts/format-time.ts';
import { StateBadge } from '../../parts/state-badge.tsx';

export interface IncidentsProps {
  readonly incidents: IncidentsReply['incidents'];
  readonly changes: FlagsReply['changes'];
}

/** What the reporter did, with command and output; and what people did. */
export function Incidents({ incidents, changes }: IncidentsProps) {
  const { t, i18n } = useTranslation();
  return (
    <>
      <section className="card inc">
        <div className="card-h">
          <h2>{t('rollout.incidents')}</h2>
        </div>
        {incidents.length === 0 && <p className="card-b mute">{t('rollout.noIncidents')}</p>}
        {incidents.map((incident, i) => (
          <details key={incident.version} open={i === 0}>
            <summary>
              <span className="num">{formatMoment(incident.atMs, i18n.language)}</span>
              <StateBadge
                state="warn"
                word={incident.toPhase === null ? incident.phase : `${incident.phase} → ${incident.toPhase}`}
              />
              <span>
                {t('rollout.incidentText', {
                  rate: formatPercent(incident.readonlySessions / incident.sessions),
                  sessions: incident.sessions,
                })}{' '}
                {t(`rollout.outcome_${incident.outcome}`)}
              </span>
            </summary>
            {incident.command !== null && (
              <div className="in">
                <div className="log">
                  <div>
                    <span>$ {incident.command}</span>
                  </div>
                  {incident.output !== null && (
                    <div>
                      <span className="soft">{incident.output}</span>
                    </div>
                  )}
                </div>
              </div>
            )}
          </details>
        ))}
      </section>
      <section className="card">
        <div className="card-h">
          <h2>{t('rollout.changes')}</h2>
        </div>
        <table className="tbl compact">
          <tbody>
            {changes.slice(0, 10).map(({ version, atMs, action, actor, before, after }) => (
              <tr key={version}>
                <td className="num">{formatMoment(atMs, i18n.language)}</td>
                <td>
                  {t(`rollout.action_${action}`)} {before.phase} → {after.phase}
                </td>
                <td className="mute">{t('rollout.by', { actor })}</td>
              </tr>
            ))}
            {changes.length === 0 && (
              <tr>
                <td className="mute">{t('rollout.none')}</td>
              </tr>
            )}
          </tbody>
        </table>
      </section>
    </>
  );
}
