import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useLeader } from '../../api/use-leader.ts';
import { shownState, useWorkers } from '../../api/use-workers.ts';
import { languageOf } from '../../book/format-booking.ts';
import { formatLeft, formatMoment } from '../../parts/format-time.ts';
import { Icon } from '../../parts/icon.tsx';
import { useAlerts } from '../bookings/use-bookings.ts';
import { type Overview, useDayOfRaces } from './use-overview.ts';

interface ProblemItem {
  readonly key: string;
  readonly state: 'critical' | 'warn';
  readonly title: ReactNode;
  readonly why: ReactNode;
  readonly when?: string;
  readonly act: ReactNode;
}

export interface ProblemsProps {
  readonly overview: Overview;
  readonly nowMs: number;
  readonly due: string;
}

/** What needs a person first; then what was put right without one. */
export function Problems({ overview, nowMs, due }: ProblemsProps) {
  const { t } = useTranslation();
  const items = useProblems({ overview, nowMs, due });
  const { data: races = [] } = useDayOfRaces();
  const { refusedWrites, movedRuns, recoveredRuns, leaderChanges } = overview.handled;
  const resolved = races.filter(({ resolution }) => resolution !== 'MANUAL_REQUIRED').length;
  const handled = { races: resolved, refusedWrites, movedRuns, recoveredRuns, leaderChanges };
  const counts = Object.entries(handled) as [keyof typeof handled, number][];
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  return (
    <section className="card" aria-labelledby="need">
      <div className="card-h">
        <h2 id="need">{t('overview.needs')}</h2>
        {items.length > 0 && (
          <span className="count" data-state={items[0]?.state ?? 'warn'}>
            {items.length}
          </span>
        )}
        <Link className="push" to="/races">
          {t('overview.all')}
        </Link>
      </div>
      {items.length === 0 ? (
        <div className="calm-note">
          <Icon name="s-succeeded" />
          <p>
            <b className="strong">{t('overview.calmTitle')}</b> {t('overview.calmText', { count: total })}
          </p>
        </div>
      ) : (
        <ol>
          {items.map(({ key, state, title, why, when, act }) => (
            <li key={key} className="problem" data-state={state}>
              <Icon name={`s-${state}`} />
              <div>
                <div className="ttl">{title}</div>
                <div className="why">{why}</div>
                {when && <div className="when">{when}</div>}
              </div>
              <div className="acts">{act}</div>
            </li>
          ))}
        </ol>
      )}
      <div className="card-h line">
        <h2>{t('overview.handled')}</h2>
        <span className="mute xs">{t('overview.last24')}</span>
      </div>
      <div className="calm">
        {counts.map(([name, count]) => (
          <div key={name}>
            <b>{count}</b>
            <span>{t(`overview.${name}`)}</span>
          </div>
        ))}
      </div>
    </section>
  );
}

function useProblems({ overview, nowMs, due }: ProblemsProps): readonly ProblemItem[] {
  const { t, i18n } = useTranslation();
  const leader = useLeader();
  const { data: workers } = useWorkers();
  const waiting = (overview.now.states.PENDING ?? 0) + (overview.now.states.ORPHANED ?? 0);
  const { data: alerts = [] } = useAlerts(languageOf(i18n.language), true);
  const live = workers?.filter((worker) => shownState(worker, nowMs) === 'ACTIVE') ?? [];
  const items: ProblemItem[] = [];
  const toWorkers = (
    <Link className="btn sm" to="/workers">
      {t('overview.openWorkers')}
    </Link>
  );
  if (leader.data === null) {
    items.push({
      key: 'leader',
      state: 'critical',
      title: t('overview.noLeaderTitle'),
      why: t('overview.noLeaderText'),
      act: toWorkers,
    });
  }
  if (workers && live.length === 0) {
    items.push({
      key: 'workers',
      state: waiting > 0 ? 'critical' : 'warn',
      title: t('overview.noWorkerTitle'),
      why: t('overview.noWorkerText', { count: waiting }),
      act: toWorkers,
    });
  }
  for (const { id, level, title, text, subject, openedAtMs } of alerts) {
    const reservation = /^reservation:(\d+)$/.exec(subject)?.[1];
    items.push({
      key: `alert ${id}`,
      state: level === 'critical' ? 'critical' : 'warn',
      title,
      why: text,
      when: t('overview.failsSince', { time: formatMoment(openedAtMs, i18n.language) }),
      act:
        reservation === undefined ? (
          <Link className="btn sm" to="/races">
            {t('overview.openAlert')}
          </Link>
        ) : (
          <Link className="btn sm primary" to="/reservations/$id" params={{ id: reservation }}>
            {t('overview.openStory')}
          </Link>
        ),
    });
  }
  for (const worker of workers ?? []) {
    if (shownState(worker, nowMs) !== 'SILENT') continue;
    items.push({
      key: `worker ${worker.id}`,
      state: 'warn',
      title: t('overview.silentTitle', { worker: worker.name, silent: formatLeft(nowMs - worker.seenAtMs) }),
      why: t('overview.silentText', { count: worker.load }),
      act: toWorkers,
    });
  }
  // One failure among many is retried and seen below; a job that mostly fails wants somebody.
  const bad = overview.failing.filter(({ failed, ended }) => failed / ended >= (failed >= 3 ? 0.1 : 0.5));
  for (const { job, failed, ended, lastError, firstAtMs } of bad.slice(0, 4)) {
    items.push({
      key: `job ${job}`,
      state: failed === ended && ended > 2 ? 'critical' : 'warn',
      title: t('overview.failsTitle', { job, failed, ended }),
      why: (
        <>
          {t('overview.failsText')} <code className="wrap-any">{lastError ?? '–'}</code>
        </>
      ),
      when: t('overview.failsSince', { time: formatMoment(firstAtMs, i18n.language) }),
      act: (
        <Link className="btn sm" to="/runs" search={{ job, state: 'failed,timed-out', due }}>
          {t('overview.showRuns', { count: failed })}
        </Link>
      ),
    });
  }
  return items.sort((a, b) => Number(b.state === 'critical') - Number(a.state === 'critical'));
}
