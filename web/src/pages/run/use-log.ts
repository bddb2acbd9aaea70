/** The log as it grows: asked for from where reading stopped, until the run has ended and nothing follows. */
import { useContext, useEffect, useState } from 'react';
import type { LogReply } from '../../../../src/server/index.ts';
import { callApi } from '../../api/call-api.ts';
import { LiveContext } from '../../shell/live-context.ts';

export type LogLine = LogReply['lines'][number] & { readonly place: number };

export interface GrowingLog {
  readonly lines: readonly LogLine[];
  /** Lines that are no longer kept on the page. */
  readonly dropped: number;
  readonly ended: boolean;
  readonly error: Error | undefined;
}

const none: GrowingLog = { lines: [], dropped: 0, ended: false, error: undefined };
const shownMax = 2_000;
const everyMs = 1_000;

export function useLog(id: string): GrowingLog {
  const [log, setLog] = useState(none);
  const { isLive } = useContext(LiveContext);
  useEffect(() => {
    const over = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let after = '';
    let count = 0;
    const read = async (): Promise<void> => {
      try {
        const query = new URLSearchParams({ limit: '1000', ...(after !== '' && { after }) });
        const page = await callApi<LogReply>('GET', `/api/v1/runs/${id}/log?${query}`, undefined, over.signal);
        if (over.signal.aborted) return;
        const isFirst = after === '';
        after = page.next;
        const fresh = page.lines.map((line, at) => ({ ...line, place: count + at }));
        count += fresh.length;
        setLog((known) => {
          const all = isFirst ? fresh : [...known.lines, ...fresh];
          const lines = all.slice(-shownMax);
          return { lines, dropped: count - lines.length, ended: page.ended, error: undefined };
        });
        if (page.ended) return;
        timer = setTimeout(read, page.more ? 0 : everyMs);
      } catch (error) {
        if (over.signal.aborted) return;
        setLog((known) => ({ ...known, error: error instanceof Error ? error : new Error(String(error)) }));
        timer = setTimeout(read, everyMs * 5);
      }
    };
    if (isLive) void read();
    return () => {
      over.abort();
      clearTimeout(timer);
    };
  }, [id, isLive]);
  return log;
}
