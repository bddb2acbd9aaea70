import { Link } from '@tanstack/react-router';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useLeader } from '../../api/use-leader.ts';
import { shownState, useWorkers } from '../../api/use-workers.ts';
import { Epoch, shortEpoch } from '../../parts/epoch.tsx';
import { formatLeft, formatMoment } from '../../parts/format-time.ts';
import { StateBadge } from '../../parts/state-badge.tsx';
import { TimeBar } from '../../parts/time-bar.tsx';
import { scheduleText, useJobs } from '../jobs/use-jobs.ts';
import type { Overview } from './use-overview.ts';

export interface SideCardProps {
  readonly overview: Overview;
  readonly nowMs: number;
}

/** Who leads, how long its lease lasts, and the epochs before. */
export function LeaderCard({ overview, nowMs }: SideCardProps) {
  const { t, i18n } = useTranslation();
  const { data: leader } = useLeader();
  const longest = useRef(0);
  const leftMs = leader ? Math.max(leader.remainingMs - Math.max(nowMs - leader.seenAtMs, 0), 0) : 0;
  longest.current = Math.max(longest.current, leader?.remainingMs ?? 0);
  const share = longest.current > 0 ? leftMs / longest.current : 0;
  const state = !leader ? 'lost' : share < 0.25 ? 'jeopardy' : 'held';
  const { epochs, atMs } = overview;
  const sinceMs = atMs - 6 * 3_600_000;
  return (
    <section className="card" aria-labelledby="lead">
      <div className="card-h">
        <h2 id="lead">{t('overview.leader')}</h2>
        <span className="push">
          <StateBadge
            state={state}
            word={leader ? t(`state.${state === 'lost' ? 'jeopardy' : state}`) : t('foot.noLeader')}
          />
        </span>
      </div>
      <div className="leader">
        {leader && (
          <>
            <div className="big">
              <b className="clip">{leader.name}</b>
              <span className="epoch">
                {t('overview.epoch')}{' '}
                <b>
                  <Epoch value={leader.epoch} />
                </b>
              </span>
            </div>
            <div className="kcell">
              <TimeBar share={share} state={state} large />
              <span className="num strong">{formatLeft(leftMs)}</span>
            </div>
          </>
        )}
        <p className="mute xs under">{t('overview.leaderText')}</p>
        {epochs.length > 0 && (
          <>
            <div
              className="epo"
              role="img"
              aria-label={t('overview.epochsLabel', { list: epochs.map(({ epoch }) => shortEpoch(epoch)).join(', ') })}
            >
              {epochs.map(({ epoch, fromMs, toMs }, at) => (
                <span
                  key={epoch}
                  style={{
                    flexGrow: Math.max(
                      (epochs[at + 1]?.fromMs ?? Math.max(toMs, atMs)) - Math.max(fromMs, sinceMs),
                      600_000,
                    ),
                  }}
                >
                  {shortEpoch(epoch)}
                </span>
              ))}
            </div>
            <div className="axis">
              <span>{formatMoment(epochs[0]?.fromMs ?? sinceMs, i18n.language)}</span>
              <span>{t('overview.epochsAxis')}</span>
              <span>{formatMoment(atMs, i18n.language)}</span>
            </div>
          </>
        )}
      </div>
    </section>
  );
}

const shownWorkers = 6;

export function WorkersCard({ nowMs }: { readonly nowMs: number }) {
  const { t } = useTranslation();
  const { data = [] } = useWorkers();
  const present = data.filter(({ state }) => state !== 'STOPPED');
  const live = present.filter((worker) => shownState(worker, nowMs) === 'ACTIVE').length;
  return (
    <section className="card" aria-labelledby="wk">
      <div className="card-h">
        <h2 id="wk">{t('overview.workers')}</h2>
        <span className="mute">{t('overview.live', { live, all: present.length })}</span>
        <Link className="push" to="/workers">
          {t('overview.allWorkers')}
        </Link>
      </div>
      {present.length === 0 ? (
        <p className="card-b mute">{t('overview.noWorkers')}</p>
      ) : (
        <table className="tbl compact fixed few">
          <thead className="sr">
            <tr>
              <th>{t('workers.name')}</th>
              <th>{t('workers.load')}</th>
              <th>{t('workers.heard')}</th>
            </tr>
          </thead>
          <tbody>
            {present.slice(0, shownWorkers).map((worker) => {
              const isSilent = shownState(worker, nowMs) !== 'ACTIVE';
              return (
                <tr key={worker.id}>
                  <td title={worker.name}>
                    <span className="dot" data-state={isSilent ? 'warn' : 'ok'} /> {worker.name}
                  </td>
                  <td>
                    <span className="kcell load">
                      <TimeBar
                        share={worker.capacity > 0 ? worker.load / worker.capacity : 0}
                        state={isSilent ? 'warn' : 'info'}
                      />
                      <span className="num xs soft">
                        {worker.load} / {worker.capacity}
                      </span>
                    </span>
                  </td>
                  <td className="r xs mute">{formatLeft(Math.max(nowMs - worker.seenAtMs, 0))}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      )}
    </section>
  );
}

export function NextDueCard() {
  const { t, i18n } = useTranslation();
  const { data = [] } = useJobs();
  const next = data
    .flatMap((job) => (job.nextDueAtMs === null || job.paused ? [] : [{ job, atMs: job.nextDueAtMs }]))
    .sort((a, b) => a.atMs - b.atMs)
    .slice(0, 4);
  return (
    <section className="card" aria-labelledby="nx">
      <div className="card-h">
        <h2 id="nx">{t('overview.next')}</h2>
        <Link className="push" to="/jobs">
          {t('overview.schedules')}
        </Link>
      </div>
      {next.length === 0 ? (
        <p className="card-b mute">{t('overview.noNext')}</p>
      ) : (
        <ul className="next">
          {next.map(({ job, atMs }) => (
            <li key={job.name}>
              <time className="soft" dateTime={new Date(atMs).toISOString()}>
                {formatMoment(atMs, i18n.language)}
              </time>
              <Link className="strong clip" to="/jobs" search={{ job: job.name }}>
                {job.name}
              </Link>
              <span className="mute xs">{scheduleText(job, t)}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
