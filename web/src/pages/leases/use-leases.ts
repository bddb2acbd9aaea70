import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import type { ListReply } from '../../../../src/server/index.ts';
import { callApi } from '../../api/call-api.ts';
import { useLiveInterval } from '../../shell/live-context.ts';

export type LeaseRow = ListReply['leases'][number] & {
  /** When the store said so, by this browser's clock. */
  readonly seenAtMs: number;
  /** The longest this grant was ever seen to last: what the bar is full at. */
  readonly longestMs: number;
};

/** Leases under a prefix, looked at again every two seconds. */
export function useLeases(prefix: string) {
  const longest = useRef(new Map<string, number>());
  return useQuery({
    queryKey: ['leases', prefix],
    placeholderData: keepPreviousData,
    refetchInterval: useLiveInterval(2_000),
    queryFn: async (): Promise<readonly LeaseRow[]> => {
      const query = new URLSearchParams({ limit: '500', ...(prefix !== '' && { prefix }) });
      const { leases } = await callApi<ListReply>('GET', `/api/v1/leases?${query}`);
      const seenAtMs = Date.now();
      const known = longest.current;
      longest.current = new Map();
      return leases.map((lease) => {
        const grant = `${lease.key}\n${lease.owner}\n${lease.token}`;
        const longestMs = Math.max(known.get(grant) ?? 0, lease.remainingMs);
        longest.current.set(grant, longestMs);
        return { ...lease, seenAtMs, longestMs };
      });
    },
  });
}

export interface TimeLeft {
  readonly leftMs: number;
  readonly share: number;
  readonly state: 'held' | 'jeopardy' | 'lost';
}

/** Below a quarter a renewal is late. */
export function timeLeft({ remainingMs, seenAtMs, longestMs }: LeaseRow, nowMs: number): TimeLeft {
  const leftMs = remainingMs - Math.max(nowMs - seenAtMs, 0);
  const share = longestMs > 0 ? leftMs / longestMs : 0;
  return { leftMs, share, state: leftMs <= 0 ? 'lost' : share < 0.25 ? 'jeopardy' : 'held' };
}

/** The name in a grant id: what stands behind the @. */
export function holderName(owner: string): string {
  return owner.slice(owner.indexOf('@') + 1);
}
