import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { useTranslation } from 'react-i18next';
import { mayAct, useSession } from '../../api/use-session.ts';
import { Empty } from '../../parts/empty.tsx';
import { Icon } from '../../parts/icon.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { useNow } from '../../parts/use-now.ts';
import { When } from '../../parts/when.tsx';
import { JobDetail } from './job-detail.tsx';
import { JobForm } from './job-form.tsx';
import { scheduleText, useJobs } from './use-jobs.ts';

/** Every definition: when it is due next, whether it is on, and what it is. */
export function JobsPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { job: chosen } = useSearch({ from: '/shell/jobs' });
  const { data: jobs = [], error, refetch, isPending } = useJobs();
  const { data: session } = useSession();
  const [isMaking, setMaking] = useState(false);
  const nowMs = useNow();
  const choose = (job: string): void => void navigate({ to: '/jobs', search: { job }, replace: true });
  return (
    <>
      <div className="page-h">
        <h1>{t('jobs.title')}</h1>
        <span className="sub">
          {t('jobs.sub', {
            count: jobs.length,
            scheduled: jobs.filter(({ schedule }) => schedule).length,
            paused: jobs.filter(({ paused, queuePaused }) => paused || queuePaused).length,
          })}
        </span>
        <div className="push row">
          <Button className="btn" isDisabled={!mayAct(session, 'admin')} onPress={() => setMaking(true)}>
            <Icon name="plus" />
            {t('jobs.make')}
          </Button>
        </div>
      </div>
      {error && <ProblemNote error={error} onAgain={() => void refetch()} />}
      <div className="grid g-main wide">
        <div className="card">
          {jobs.length === 0 && !isPending ? (
            <Empty title={t('jobs.empty')}>
              <p>{t('jobs.emptyText')}</p>
            </Empty>
          ) : (
            <table className="tbl fixed cards jobs">
              <thead>
                <tr>
                  <th>{t('jobs.name')}</th>
                  <th>{t('jobs.state')}</th>
                  <th>{t('jobs.schedule')}</th>
                  <th>{t('jobs.next')}</th>
                </tr>
              </thead>
              <tbody>
                {jobs.map((job) => {
                  const isOff = job.paused || job.queuePaused;
                  return (
                    // The button in the first cell is for the keyboard; the row is only a larger place to click.
                    <tr key={job.name} aria-selected={job.name === chosen} onClick={() => choose(job.name)}>
                      <td className="lead-cell strong" title={job.name}>
                        <button type="button" className="plain">
                          {job.name}
                        </button>
                      </td>
                      <td>
                        <StateBadge
                          state={isOff ? 'skipped' : 'ok'}
                          icon={isOff ? 'pause' : 's-succeeded'}
                          word={t(isOff ? 'jobs.paused' : 'jobs.on')}
                        />
                      </td>
                      <td className="soft" title={scheduleText(job, t)}>
                        {scheduleText(job, t)}
                      </td>
                      <td className={job.nextDueAtMs === null ? 'hide' : undefined}>
                        {job.nextDueAtMs === null ? (
                          <span className="mute">–</span>
                        ) : (
                          <When ms={job.nextDueAtMs} nowMs={nowMs} />
                        )}
                      </td>
                    </tr>
                  );
                })}
              </tbody>
            </table>
          )}
        </div>
        {chosen !== undefined && jobs.some(({ name }) => name === chosen) ? (
          <JobDetail key={chosen} name={chosen} nowMs={nowMs} />
        ) : (
          <aside className="card empty">
            <p>{t('jobs.pick')}</p>
          </aside>
        )}
      </div>
      {isMaking && <JobForm job={undefined} onClose={() => setMaking(false)} />}
    </>
  );
}
