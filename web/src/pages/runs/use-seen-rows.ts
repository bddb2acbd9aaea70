/**
 * Which rows of a long table stand in the window. All are equally high, so this is arithmetic: nothing is kept for each row,
 * and what a step of the scroll costs does not grow with their number.
 */
import { type RefObject, useCallback, useEffect, useState } from 'react';
import { flushSync } from 'react-dom';

export interface SeenRows {
  readonly first: number;
  /** Below `first` while there are none. */
  readonly last: number;
  /** Scrolls as far as it takes to see a row, and no further. */
  readonly show: (index: number) => void;
}

/** Rows kept ready on either side, for a scroll that the page hears of late. */
const spareRows = 6;
/** The edge moves by this many rows at once: small steps of the scroll then mostly change nothing. */
const stepRows = 4;
/** Rows at the edges of the window that bars may cover. */
const coveredRows = 2;

export function useSeenRows(place: RefObject<HTMLElement | null>, count: number, rowPx: number): SeenRows {
  const [edge, setEdge] = useState(0);
  const [height, setHeight] = useState(innerHeight);
  useEffect(() => {
    const look = (): void => {
      const above = -(place.current?.getBoundingClientRect().top ?? 0);
      const next = Math.floor((above / rowPx - spareRows) / stepRows) * stepRows;
      // In this frame: drawn in the next one, the rows would be missing in between.
      flushSync(() => {
        setEdge(Math.max(next, 0));
        setHeight(innerHeight);
      });
    };
    // Not in the effect itself, where React draws nothing at once.
    const begun = requestAnimationFrame(look);
    addEventListener('scroll', look, { passive: true });
    addEventListener('resize', look);
    return () => {
      cancelAnimationFrame(begun);
      removeEventListener('scroll', look);
      removeEventListener('resize', look);
    };
  }, [place, rowPx]);
  const drawn = Math.ceil(height / rowPx) + 2 * spareRows + stepRows;
  // What is shown may have become shorter than where the reader was.
  const first = Math.max(Math.min(edge, count - drawn), 0);
  const show = useCallback(
    (index: number) => {
      const top = (place.current?.getBoundingClientRect().top ?? 0) + index * rowPx;
      const marginPx = coveredRows * rowPx;
      if (top < marginPx) scrollBy(0, top - marginPx);
      else if (top + rowPx + marginPx > innerHeight) scrollBy(0, top + rowPx + marginPx - innerHeight);
    },
    [place, rowPx],
  );
  return { first, last: Math.min(first + drawn, count) - 1, show };
}
