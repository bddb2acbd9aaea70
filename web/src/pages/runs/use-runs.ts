import { type InfiniteData, keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import type { ListRunsReply, RunCountsReply } from '../../../../src/server/index.ts';
import { callApi } from '../../api/call-api.ts';
import { useLiveInterval } from '../../shell/live-context.ts';
import { queryOf, type RunSearch, rangeOf, without } from './run-search.ts';

export type RunRow = ListRunsReply['runs'][number];

/** The first page comes quickly; those after it are larger, since whoever scrolls scrolls on. */
const firstPage = 100;
const nextPage = 500;

/** With more pages than these the reader is deep in the history: nothing changes there, and all of it is not asked for again. */
const livePages = 2;

/** Runs of a filter, newest first, page after page. */
export function useRuns(search: RunSearch) {
  const everyMs = useLiveInterval(3_000);
  const queries = useQueryClient();
  const queryKey = useMemo(() => ['runs', search], [search]);
  const query = useInfiniteQuery({
    queryKey,
    initialPageParam: undefined as string | undefined,
    placeholderData: keepPreviousData,
    // Comparing every row of many pages with every other costs more than drawing the few that are seen.
    structuralSharing: false,
    retry: false,
    queryFn: ({ pageParam, signal }) => {
      const limit = pageParam === undefined ? firstPage : nextPage;
      const query = new URLSearchParams({
        ...queryOf(search, Date.now()),
        limit: String(limit),
        ...(pageParam !== undefined && { cursor: pageParam }),
      });
      return callApi<ListRunsReply>('GET', `/api/v1/runs?${query}`, undefined, signal);
    },
    getNextPageParam: ({ cursor }) => cursor,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > livePages ? false : everyMs),
    refetchOnMount: ({ state }) => (state.data?.pages.length ?? 0) <= livePages,
    refetchOnWindowFocus: false,
  });
  const rows = useMemo(() => query.data?.pages.flatMap(({ runs }) => runs) ?? [], [query.data]);
  const isDeep = (query.data?.pages.length ?? 0) > livePages;
  /** Back to the newest page, the only one that is then looked at again. */
  const surface = useCallback(
    () =>
      queries.setQueryData<InfiniteData<ListRunsReply>>(
        queryKey,
        (known) => known && { pages: known.pages.slice(0, 1), pageParams: known.pageParams.slice(0, 1) },
      ),
    [queries, queryKey],
  );
  return { ...query, rows, isDeep, surface };
}

/** Of everything but the states: how many are in each. */
export function useStateCounts(search: RunSearch) {
  return useCounts(without(search, 'state'));
}

export function useCounts(search: RunSearch, isWanted = true) {
  return useQuery({
    queryKey: ['run-counts', search],
    enabled: isWanted,
    placeholderData: keepPreviousData,
    retry: false,
    refetchInterval: useLiveInterval(5_000),
    queryFn: ({ signal }) =>
      callApi<RunCountsReply>(
        'GET',
        `/api/v1/run-counts?${new URLSearchParams(queryOf(search, Date.now()))}`,
        undefined,
        signal,
      ),
  });
}

export interface Histogram {
  readonly fromMs: number;
  readonly toMs: number;
  readonly partMs: number;
  readonly counts: RunCountsReply;
}

const parts = 72;

/** When they were due, in 72 parts of the chosen time, or of the last day. */
export function useHistogram(search: RunSearch) {
  return useQuery({
    queryKey: ['run-counts', 'histogram', search],
    placeholderData: keepPreviousData,
    retry: false,
    refetchInterval: useLiveInterval(10_000),
    queryFn: async ({ signal }): Promise<Histogram> => {
      const nowMs = Date.now();
      const range = rangeOf(search.due ?? '24h', nowMs);
      const { fromMs = nowMs, toMs = nowMs } = range ?? {};
      const query = new URLSearchParams({
        ...queryOf(search, nowMs),
        fromMs: String(fromMs),
        toMs: String(toMs),
        parts: String(parts),
      });
      const counts = await callApi<RunCountsReply>('GET', `/api/v1/run-counts?${query}`, undefined, signal);
      return { fromMs, toMs, partMs: (toMs - fromMs) / parts, counts };
    },
  });
}
