import { useQuery } from '@tanstack/react-query';
import type { RunCountsReply } from '../../../src/server/index.ts';
import { useLiveInterval } from '../shell/live-context.ts';
import { callApi } from './call-api.ts';

const dayMs = 86_400_000;

/** Runs that failed or timed out and were due in the last day. */
export function useFailedCount(): number {
  const { data = 0 } = useQuery({
    queryKey: ['run-counts', 'failed'],
    refetchInterval: useLiveInterval(10_000),
    queryFn: async () => {
      const query = new URLSearchParams({ state: 'FAILED,TIMED_OUT', fromMs: String(Date.now() - dayMs) });
      return (await callApi<RunCountsReply>('GET', `/api/v1/run-counts?${query}`)).total;
    },
  });
  return data;
}
