import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { useTranslation } from 'react-i18next';
import { callApi } from '../../api/call-api.ts';
import { mayAct, useSession } from '../../api/use-session.ts';
import { formatTook } from '../../parts/format-time.ts';
import { Icon } from '../../parts/icon.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { When } from '../../parts/when.tsx';
import { useToast } from '../../shell/toasts.tsx';
import { JobForm } from './job-form.tsx';
import { RunNowDialog } from './run-now-dialog.tsx';
import { DueTimes } from './schedule-fields.tsx';
import { scheduleText, useJob } from './use-jobs.ts';

/** One job: what it is, its next five times, what became of the last ones, and what can be done. */
export function JobDetail({ name, nowMs }: { readonly name: string; readonly nowMs: number }) {
  const { t } = useTranslation();
  const { data, error } = useJob(name);
  const { data: session } = useSession();
  const queries = useQueryClient();
  const say = useToast();
  const [opened, setOpened] = useState<'edit' | 'run'>();
  const pause = useMutation({
    mutationFn: (paused: boolean) =>
      callApi('POST', `/api/v1/jobs/${encodeURIComponent(name)}/pause`, { paused, why: t('jobs.title') }),
    onSuccess: async (_, paused) => {
      say(t(paused ? 'jobs.pausedSaid' : 'jobs.resumedSaid', { job: name }));
      await queries.invalidateQueries();
    },
  });
  if (error && !data) return <ProblemNote error={error} />;
  if (!data) return null;
  const { job, nextDueTimes, slots } = data;
  const close = (): void => setOpened(undefined);
  return (
    <aside className="stack" aria-label={name}>
      <section className="card">
        <div className="card-h">
          <h2 className="wrap-any">{name}</h2>
        </div>
        <div className="card-b">
          <dl className="dl">
            <dt>{t('jobs.schedule')}</dt>
            <dd>{scheduleText(job, t)}</dd>
            <dt>{t('jobs.queue')}</dt>
            <dd>{job.queue}</dd>
            <dt>{t('jobs.concurrency')}</dt>
            <dd>{t(`jobs.concurrency_${job.concurrency}`)}</dd>
            <dt>{t('jobs.retries')}</dt>
            <dd>{job.maxRetries}</dd>
            <dt>{t('jobs.timeout')}</dt>
            <dd>{formatTook(job.timeoutSeconds * 1_000)}</dd>
            {job.schedule && (
              <>
                <dt>{t('jobs.catchUp')}</dt>
                <dd>{t(`jobs.catchUp_${job.catchUp}`)}</dd>
              </>
            )}
          </dl>
          {job.schedule && (
            <>
              <h3 className="under">{t('jobs.nextFive')}</h3>
              <DueTimes times={nextDueTimes.slice(0, 5)} isKnown />
            </>
          )}
        </div>
        {pause.error && <ProblemNote error={pause.error} />}
        <div className="card-f">
          <Button className="btn sm primary" isDisabled={!mayAct(session, 'operator')} onPress={() => setOpened('run')}>
            <Icon name="play" />
            {t('jobs.runNow')}
          </Button>
          <Button
            className="btn sm"
            isDisabled={!mayAct(session, 'operator') || pause.isPending}
            onPress={() => pause.mutate(!job.paused)}
          >
            <Icon name={job.paused ? 'play' : 'pause'} />
            {t(job.paused ? 'jobs.resume' : 'jobs.pause')}
          </Button>
          <Button className="btn sm" isDisabled={!mayAct(session, 'admin')} onPress={() => setOpened('edit')}>
            <Icon name="edit" />
            {t('jobs.edit')}
          </Button>
          <Link className="push" to="/runs" search={{ job: name }}>
            {t('jobs.runsOf')}
          </Link>
        </div>
      </section>
      {job.schedule && (
        <section className="card">
          <div className="card-h">
            <h2>{t('jobs.slots')}</h2>
          </div>
          {slots.length === 0 ? (
            <p className="card-b mute">{t('jobs.noSlots')}</p>
          ) : (
            <table className="tbl compact">
              <thead className="sr">
                <tr>
                  <th>{t('runs.due')}</th>
                  <th>{t('jobs.outcome')}</th>
                  <th>{t('runs.run')}</th>
                </tr>
              </thead>
              <tbody>
                {slots.map(({ scheduledForMs, outcome, reason, runId }) => (
                  <tr key={scheduledForMs}>
                    <td>
                      <When ms={scheduledForMs} nowMs={nowMs} />
                    </td>
                    <td title={reason ?? undefined}>{outcome}</td>
                    <td className="r">
                      {runId !== null && (
                        <Link to="/runs/$id" params={{ id: String(runId) }}>
                          {runId}
                        </Link>
                      )}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
        </section>
      )}
      {opened === 'run' && <RunNowDialog job={name} onClose={close} />}
      {opened === 'edit' && <JobForm job={job} onClose={close} />}
    </aside>
  );
}
