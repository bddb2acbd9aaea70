import { createContext, useContext, useEffect } from 'react';

export interface Live {
  /** False while the reader has paused the page, or a page holds it. */
  readonly isLive: boolean;
  /** The stream is open: changes are told, and pages need not ask often. */
  readonly isStreaming: boolean;
  /** Changes that came while paused. */
  readonly news: number;
  /** The stream broke; the moment of the last good look. */
  readonly lostAtMs: number | undefined;
  readonly toggle: () => void;
  /** A page with a selection holds what it shows still. */
  readonly setHold: (held: boolean) => void;
}

export const LiveContext = createContext<Live>({
  isLive: true,
  isStreaming: false,
  news: 0,
  lostAtMs: undefined,
  toggle: () => {},
  setHold: () => {},
});

/** While the stream tells of changes, asking is only a second net. */
const streamedMs = 15_000;

/** How often a page looks again; false while it is paused. */
export function useLiveInterval(everyMs: number): number | false {
  const { isLive, isStreaming } = useContext(LiveContext);
  return isLive && (isStreaming ? Math.max(everyMs, streamedMs) : everyMs);
}

/** For what no change tells of: time left, load, heartbeats. */
export function useClockInterval(everyMs: number): number | false {
  return useContext(LiveContext).isLive && everyMs;
}

/** Keeps the page still while `held`, and lets go when the page is left. */
export function useHold(held: boolean): void {
  const { setHold } = useContext(LiveContext);
  useEffect(() => {
    setHold(held);
    return () => setHold(false);
  }, [held, setHold]);
}
