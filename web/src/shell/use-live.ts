/**
 * The change stream. While it is open, a change makes the queries of its topic stale; while the page is paused, changes
 * collect and are applied when it goes on. A server without a stream is asked again and again instead; a hidden tab
 * listens to nothing and looks once when it is seen again.
 */
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { Live } from './live-context.ts';

/** The first word of the query keys that a topic makes stale. */
const queriesOf: Readonly<Record<string, readonly string[]>> = {
  runs: ['runs', 'run', 'run-counts', 'overview'],
  jobs: ['jobs', 'job'],
  workers: ['workers', 'overview'],
  leases: ['leases', 'leader'],
  settings: ['settings'],
  audit: ['audit'],
  flags: ['flags', 'rollout'],
  reservations: ['reservations', 'sandbox'],
};

/** Changes come in bursts: pages look again at most this often. */
const settleMs = 700;

export function useLive(): Live {
  const queries = useQueryClient();
  const [isPaused, setPaused] = useState(false);
  const [isHeld, setHold] = useState(false);
  const [isStreaming, setStreaming] = useState(false);
  const [lostAtMs, setLost] = useState<number>();
  const [news, setNews] = useState(0);
  const waiting = useRef(new Map<string, Set<string>>());
  const isLive = !isPaused && !isHeld;
  const live = useRef(isLive);
  live.current = isLive;

  const apply = useCallback(() => {
    const topics = [...waiting.current.keys()];
    waiting.current.clear();
    setNews(0);
    for (const topic of topics) void makeStale(queries, topic);
  }, [queries]);

  useEffect(() => {
    if (isLive) apply();
  }, [isLive, apply]);

  useEffect(() => {
    let source: EventSource | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const note = (topic: string, id: string): void => {
      const ids = waiting.current.get(topic) ?? new Set();
      waiting.current.set(topic, ids.add(id));
      if (!live.current) setNews([...waiting.current.values()].reduce((sum, set) => sum + set.size, 0));
      timer ??= setTimeout(() => {
        timer = undefined;
        if (live.current) apply();
      }, settleMs);
    };
    const open = (): void => {
      if (document.visibilityState !== 'visible' || source) return;
      source = new EventSource('/api/v1/stream');
      source.addEventListener('open', () => {
        setStreaming(true);
        setLost(undefined);
      });
      source.addEventListener('change', (event: MessageEvent<string>) => {
        const change = readChange(event.data);
        if (change) note(change.topic, change.id);
      });
      source.addEventListener('reset', () => note('*', ''));
      source.addEventListener('error', () => {
        const wasOpen = source?.readyState !== EventSource.CLOSED;
        setStreaming(false);
        // Closed for good: this server has no stream, and pages ask instead.
        if (wasOpen) setLost((known) => known ?? Date.now());
      });
    };
    const close = (): void => {
      source?.close();
      source = undefined;
      setStreaming(false);
    };
    const onVisible = (): void => {
      if (document.visibilityState === 'visible') {
        open();
        note('*', '');
      } else close();
    };
    open();
    document.addEventListener('visibilitychange', onVisible);
    return () => {
      document.removeEventListener('visibilitychange', onVisible);
      clearTimeout(timer);
      close();
    };
  }, [apply]);

  /** While a page holds still, this lets go of it: what is new is shown at once, as asked. */
  const toggle = useCallback(() => {
    if (isHeld && !isPaused) setHold(false);
    else setPaused((paused) => !paused);
  }, [isHeld, isPaused]);
  return useMemo(
    () => ({ isLive, isStreaming, news, lostAtMs, toggle, setHold }),
    [isLive, isStreaming, news, lostAtMs, toggle],
  );
}

async function makeStale(queries: QueryClient, topic: string): Promise<void> {
  if (topic === '*') {
    await queries.invalidateQueries();
    return;
  }
  const keys = queriesOf[topic] ?? [topic];
  await queries.invalidateQueries({ predicate: ({ queryKey }) => keys.includes(String(queryKey[0])) });
}

function readChange(text: string): { readonly topic: string; readonly id: string } | undefined {
  try {
    const { topic, id } = JSON.parse(text) as { topic?: unknown; id?: unknown };
    return typeof topic === 'string' ? { topic, id: String(id ?? '') } : undefined;
  } catch {
    return undefined;
  }
}
