import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useFailedCount } from '../../api/use-failed-count.ts';
import { formatLeft } from '../../parts/format-time.ts';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { useNow } from '../../parts/use-now.ts';
import { Plots } from './plots.tsx';
import { Problems } from './problems.tsx';
import { LeaderCard, NextDueCard, WorkersCard } from './side-cards.tsx';
import { type Overview, useOverview } from './use-overview.ts';

const ranges = [
  { minutes: 15, text: '15 min', due: '15m' },
  { minutes: 60, text: '1 h', due: '1h' },
  { minutes: 360, text: '6 h', due: '6h' },
  { minutes: 1_440, text: '24 h', due: '24h' },
] as const;

/** Problems first, then what was handled without anybody, then numbers. */
export function OverviewPage() {
  const { t, i18n } = useTranslation();
  const navigate = useNavigate();
  const { minutes = 60 } = useSearch({ from: '/shell/' });
  const { data: overview, error, refetch } = useOverview(minutes);
  const nowMs = useNow();
  const due = ranges.find((range) => range.minutes === minutes)?.due ?? '24h';
  return (
    <>
      <div className="page-h">
        <h1>{t('overview.title')}</h1>
        <span className="sub">
          {new Date(nowMs).toLocaleString(i18n.language, {
            weekday: 'short',
            day: 'numeric',
            month: 'short',
            hour: '2-digit',
            minute: '2-digit',
            second: '2-digit',
            hour12: false,
            timeZoneName: 'short',
          })}
        </span>
        <fieldset className="push seg" aria-label={t('overview.range')}>
          {ranges.map(({ minutes: one, text }) => (
            <button
              key={one}
              type="button"
              aria-pressed={one === minutes}
              onClick={() => void navigate({ to: '/', search: { minutes: one }, replace: true })}
            >
              {text}
            </button>
          ))}
        </fieldset>
      </div>
      {error && <ProblemNote error={error} onAgain={() => void refetch()} />}
      {overview && (
        <div className="stack">
          <div className="ov-top">
            <Problems overview={overview} nowMs={nowMs} due={due} />
            <div className="stack">
              <LeaderCard overview={overview} nowMs={nowMs} />
              <WorkersCard nowMs={nowMs} />
              <NextDueCard />
            </div>
          </div>
          <Plots overview={overview} />
          <FailingNow overview={overview} nowMs={nowMs} due={due} />
        </div>
      )}
    </>
  );
}

interface FailingNowProps {
  readonly overview: Overview;
  readonly nowMs: number;
  readonly due: string;
}

function FailingNow({ overview, nowMs, due }: FailingNowProps) {
  const { t } = useTranslation();
  const failed = useFailedCount();
  return (
    <section className="card" aria-labelledby="failing">
      <div className="card-h">
        <h2 id="failing">{t('overview.failing')}</h2>
        <Link className="push" to="/runs" search={{ state: 'failed,timed-out', due: '24h' }}>
          {t('overview.allFailed', { count: failed })}
        </Link>
      </div>
      {overview.failing.length === 0 ? (
        <p className="card-b mute">{t('overview.noFailing')}</p>
      ) : (
        <table className="tbl fixed cards failing">
          <thead>
            <tr>
              <th>{t('overview.job')}</th>
              <th>{t('overview.inRange')}</th>
              <th className="r">{t('overview.failedOf')}</th>
              <th>{t('overview.lastError')}</th>
              <th className="r">{t('overview.nextTry')}</th>
            </tr>
          </thead>
          <tbody>
            {overview.failing.map(({ job, failed: count, ended, lastError, lastRunId, nextTryAtMs, failures }) => (
              <tr key={job}>
                <td className="lead-cell strong">
                  <Link to="/runs" search={{ job, state: 'failed,timed-out', due }}>
                    {job}
                  </Link>
                </td>
                <td className="hide">
                  <Spark values={failures} />
                </td>
                <td className="r">
                  {count} / {ended}
                </td>
                <td className="err full" title={lastError ?? undefined}>
                  <Link to="/runs/$id" params={{ id: String(lastRunId) }}>
                    {lastError ?? '–'}
                  </Link>
                </td>
                <td className="r">
                  {nextTryAtMs === null ? (
                    <span className="mute">{t('overview.noTry')}</span>
                  ) : (
                    t('overview.tryIn', { left: formatLeft(nextTryAtMs - nowMs) })
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function Spark({ values }: { readonly values: readonly number[] }) {
  const most = Math.max(1, ...values);
  return (
    <svg className="spark" viewBox="0 0 72 18" aria-hidden="true">
      {values.map((value, at) => (
        <rect
          // biome-ignore lint/suspicious/noArrayIndexKey: a part of time is known by its place.
          key={at}
          x={at * 6}
          width={4.5}
          y={18 - (value / most) * 16 - (value > 0 ? 0 : 1)}
          height={value > 0 ? (value / most) * 16 : 1}
          fill={value > 0 ? 'var(--red-solid)' : 'var(--line-strong)'}
        />
      ))}
    </svg>
  );
}
