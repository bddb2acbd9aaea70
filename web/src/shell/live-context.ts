import { createContext, useContext } from 'react';

export interface Live {
  /** False while the reader has paused the page. */
  readonly isLive: boolean;
  readonly toggle: () => void;
}

export const LiveContext = createContext<Live>({ isLive: true, toggle: () => {} });

/** How often a page looks again; false while it is paused. */
export function useLiveInterval(everyMs: number): number | false {
  return useContext(LiveContext).isLive ? everyMs : false;
}
