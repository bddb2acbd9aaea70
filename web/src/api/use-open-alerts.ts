import { useQuery } from '@tanstack/react-query';
import type { AlertsReply } from '../../../src/server/index.ts';
import { useLiveInterval } from '../shell/live-context.ts';
import { callApi } from './call-api.ts';

/** Open alerts of bookings; none where the server has no bookings. */
export function useOpenAlerts(): { readonly count: number; readonly isCritical: boolean } {
  const { data = [] } = useQuery({
    queryKey: ['alerts', 'open'],
    refetchInterval: useLiveInterval(15_000),
    retry: false,
    queryFn: async () => (await callApi<AlertsReply>('GET', '/api/v1/alerts?limit=1000')).alerts,
  });
  return { count: data.length, isCritical: data.some(({ level }) => level === 'critical') };
}
