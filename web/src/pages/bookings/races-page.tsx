/** What a person should know, then every race that was met and how it ended. */
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AlertsReply } from '../../../../src/server/index.ts';
import { languageOf } from '../../book/format-booking.ts';
import { formatMoment } from '../../parts/format-time.ts';
import { Icon } from '../../parts/icon.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { useAlerts, useRaces } from './use-bookings.ts';

const scenarios = ['EXPIRED_AFTER_PAYMENT', 'SLOT_CONFLICT', 'RENDER_FAILURE', 'DUPLICATE_CANCEL', 'UNRULED'] as const;

const results = {
  REFUNDED: { state: 'refunded', icon: 's-refunded' },
  RETRY: { state: 'info', icon: 's-info' },
  MANUAL_REQUIRED: { state: 'manual', icon: 's-critical' },
} as const;

export function RacesPage() {
  const { t } = useTranslation('bookings');
  return (
    <>
      <div className="page-h">
        <h1>{t('races.title')}</h1>
        <span className="sub">{t('races.sub')}</span>
      </div>
      <div className="stack">
        <Alerts />
        <Races />
      </div>
    </>
  );
}

function Alerts() {
  const { t, i18n } = useTranslation('bookings');
  const { data, error, refetch } = useAlerts(languageOf(i18n.language), false);
  const open = data?.filter(({ closedAtMs }) => closedAtMs === null) ?? [];
  const closed = data?.filter(({ closedAtMs }) => closedAtMs !== null) ?? [];
  return (
    <section className="card">
      <div className="card-h">
        <h2>{t('races.alerts')}</h2>
        <span className="mute">{t('races.open')}</span>
      </div>
      {error && <ProblemNote error={error} onAgain={() => void refetch()} />}
      {data && open.length === 0 && (
        <div className="card-b">
          <b>{t('races.noAlerts')}</b> <span className="mute">{t('races.noAlertsText')}</span>
        </div>
      )}
      {open.length > 0 && (
        <ul className="card-b stack">
          {open.map((alert) => (
            <AlertNote key={alert.id} alert={alert} />
          ))}
        </ul>
      )}
      {closed.length > 0 && (
        <details className="card-b">
          <summary>
            {t('races.closed')} ({closed.length})
          </summary>
          <ul className="stack">
            {closed.map(({ id, title, openedAtMs, closedAtMs }) => (
              <li key={id}>
                {title}{' '}
                <span className="mute xs">
                  {t('races.wasOpen', {
                    from: formatMoment(openedAtMs, i18n.language),
                    to: formatMoment(closedAtMs ?? openedAtMs, i18n.language),
                  })}
                </span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

function AlertNote({ alert }: { readonly alert: AlertsReply['alerts'][number] }) {
  const { t, i18n } = useTranslation('bookings');
  const state = alert.level === 'critical' ? 'critical' : 'warn';
  const reservationId = /^reservation:(\d+)$/.exec(alert.subject)?.[1];
  return (
    <li className="note" data-state={state}>
      <Icon name={`s-${state}`} />
      <div>
        <strong>
          <span className="sr">{t(`races.level.${alert.level}`)}: </span>
          {alert.title}
        </strong>
        <p>{alert.text}</p>
        <p className="mute xs">{t('races.since', { time: formatMoment(alert.openedAtMs, i18n.language) })}</p>
      </div>
      {reservationId !== undefined && (
        <div className="acts">
          <Link className="btn sm" to="/reservations/$id" params={{ id: reservationId }}>
            {t('races.openStory')}
          </Link>
        </div>
      )}
    </li>
  );
}

function Races() {
  const { t, i18n } = useTranslation('bookings');
  const [scenario, setScenario] = useState<(typeof scenarios)[number]>();
  const { data, hasNextPage, fetchNextPage } = useRaces(scenario);
  const races = data?.pages.flatMap((page) => page.races) ?? [];
  return (
    <section className="card">
      <div className="card-h">
        <h2>{t('races.races')}</h2>
        <label className="push row">
          <span className="sr">{t('races.what')}</span>
          <select
            className="input"
            value={scenario ?? ''}
            onChange={({ target }) => setScenario(scenarios.find((name) => name === target.value))}
          >
            <option value="">{t('races.all')}</option>
            {scenarios.map((name) => (
              <option key={name} value={name}>
                {t(`races.scenario.${name}`)}
              </option>
            ))}
          </select>
        </label>
      </div>
      {data && races.length === 0 ? (
        <div className="card-b">
          <b>{t('races.empty')}</b> <span className="mute">{t('races.emptyText')}</span>
        </div>
      ) : (
        <table className="tbl cards">
          <thead>
            <tr>
              <th>{t('races.when')}</th>
              <th>{t('races.what')}</th>
              <th>{t('races.resolution')}</th>
              <th>{t('races.about')}</th>
            </tr>
          </thead>
          <tbody>
            {races.map((race) => (
              <tr key={race.id}>
                <td>
                  <time dateTime={new Date(race.timestamp).toISOString()}>
                    {formatMoment(race.timestamp, i18n.language)}
                  </time>
                </td>
                <td>{t(`races.scenario.${race.scenario}`)}</td>
                <td>
                  <StateBadge {...results[race.resolution]} word={t(`races.result.${race.resolution}`)} />
                </td>
                <td data-l={t('races.about')}>
                  {race.reservationId ? (
                    <Link to="/reservations/$id" params={{ id: String(race.reservationId) }}>
                      {t('races.reservation', { id: race.reservationId })}
                    </Link>
                  ) : race.videoId ? (
                    t('races.video', { id: race.videoId })
                  ) : (
                    '–'
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {hasNextPage && (
        <div className="card-f">
          <button type="button" className="btn sm" onClick={() => void fetchNextPage()}>
            {t('more')}
          </button>
        </div>
      )}
    </section>
  );
}
