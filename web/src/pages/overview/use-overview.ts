import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { OverviewReply, RacesReply, RunCountsReply } from '../../../../src/server/index.ts';
import { callApi } from '../../api/call-api.ts';
import { useLiveInterval } from '../../shell/live-context.ts';

export type Overview = OverviewReply & {
  /** What waits and runs now. */
  readonly now: RunCountsReply;
};

export function useOverview(minutes: number) {
  return useQuery({
    queryKey: ['overview', minutes],
    placeholderData: keepPreviousData,
    refetchInterval: useLiveInterval(5_000),
    queryFn: async (): Promise<Overview> => {
      const [overview, now] = await Promise.all([
        callApi<OverviewReply>('GET', `/api/v1/overview?minutes=${minutes}`),
        callApi<RunCountsReply>('GET', '/api/v1/run-counts?state=PENDING,ASSIGNED,RUNNING,ORPHANED'),
      ]);
      return { ...overview, now };
    },
  });
}

const dayMs = 86_400_000;

/** Races of bookings in the last day, newest first; the newest 500 at most. */
export function useDayOfRaces() {
  return useQuery({
    queryKey: ['races', 'day'],
    refetchInterval: useLiveInterval(10_000),
    queryFn: async () => {
      const { races } = await callApi<RacesReply>('GET', '/api/v1/races?limit=500');
      return races.filter(({ timestamp }) => timestamp > Date.now() - dayMs);
    },
  });
}
