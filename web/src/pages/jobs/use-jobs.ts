import { useQuery } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import type { JobReply, ListJobsReply, SlotsReply } from '../../../../src/server/index.ts';
import { callAllPages } from '../../api/call-all-pages.ts';
import { callApi } from '../../api/call-api.ts';
import { useLiveInterval } from '../../shell/live-context.ts';

export type Job = ListJobsReply['jobs'][number];
export type Schedule = NonNullable<Job['schedule']>;

export function useJobs() {
  return useQuery({
    queryKey: ['jobs'],
    refetchInterval: useLiveInterval(5_000),
    queryFn: async () => (await callAllPages<ListJobsReply>('/api/v1/jobs?limit=1000')).flatMap(({ jobs }) => jobs),
  });
}

/** A job with its next due times and what became of the last ones. */
export function useJob(name: string) {
  return useQuery({
    queryKey: ['job', name],
    refetchInterval: useLiveInterval(5_000),
    queryFn: async () => {
      const path = `/api/v1/jobs/${encodeURIComponent(name)}`;
      const [{ job, nextDueTimes }, { slots }] = await Promise.all([
        callApi<JobReply>('GET', path),
        callApi<SlotsReply>('GET', `${path}/slots?limit=8`),
      ]);
      return { job, nextDueTimes, slots };
    },
  });
}

export function scheduleText(job: Pick<Job, 'schedule' | 'event'>, t: TFunction): string {
  const { schedule, event } = job;
  if (!schedule) return event === null ? t('jobs.never') : t('jobs.onEvent', { event });
  if (schedule.kind === 'every') return t('jobs.every', { minutes: schedule.minutes });
  if (schedule.kind === 'once') return t('jobs.once', { at: schedule.at });
  const what =
    schedule.kind === 'cron' ? t('jobs.cron', { cron: schedule.cron }) : t('jobs.daily', { at: schedule.at });
  return t('jobs.inZone', { what, zone: schedule.zone ?? 'UTC' });
}
