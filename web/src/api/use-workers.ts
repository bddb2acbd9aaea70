import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { WorkersReply } from '../../../src/server/index.ts';
import { useClockInterval } from '../shell/live-context.ts';
import { callApi } from './call-api.ts';

export type Worker = WorkersReply['workers'][number];

/** Not heard of for this long: it is no longer shown as live. The setting may be other; this only colours. */
const silentMs = 10_000;

export function useWorkers() {
  return useQuery({
    queryKey: ['workers'],
    refetchInterval: useClockInterval(3_000),
    queryFn: async () => (await callApi<WorkersReply>('GET', '/api/v1/workers?limit=1000')).workers,
  });
}

export function isLiveWorker({ state, seenAtMs }: Worker, nowMs: number): boolean {
  return state === 'ACTIVE' && nowMs - seenAtMs < silentMs;
}

/** As pages show it: what the database says, and silence. */
export function shownState(worker: Worker, nowMs: number): Worker['state'] | 'SILENT' {
  return worker.state === 'ACTIVE' && !isLiveWorker(worker, nowMs) ? 'SILENT' : worker.state;
}

export function useWorkerNames(): ReadonlyMap<number, string> {
  const { data } = useWorkers();
  return useMemo(() => new Map(data?.map(({ id, name }) => [id, name])), [data]);
}
