import { useQuery } from '@tanstack/react-query';
import type { ListReply } from '../../../src/server/index.ts';
import { useClockInterval } from '../shell/live-context.ts';
import { callApi } from './call-api.ts';

export interface Leader {
  readonly name: string;
  /** The token of the lease: a later leader has a higher one. */
  readonly epoch: number;
  readonly remainingMs: number;
  /** When the store said so, by this browser's clock. */
  readonly seenAtMs: number;
}

const key = 'scheduler/leader';

/** Who leads the schedules; null: nobody. */
export function useLeader() {
  return useQuery({
    queryKey: ['leader'],
    refetchInterval: useClockInterval(3_000),
    queryFn: async (): Promise<Leader | null> => {
      const query = new URLSearchParams({ prefix: key, limit: '1' });
      const { leases } = await callApi<ListReply>('GET', `/api/v1/leases?${query}`);
      const lease = leases.find((one) => one.key === key);
      if (!lease) return null;
      const { owner, token, remainingMs } = lease;
      return { name: owner.slice(owner.indexOf('@') + 1), epoch: token, remainingMs, seenAtMs: Date.now() };
    },
  });
}
