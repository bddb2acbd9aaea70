import { type PointerEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatCount, formatMoment } from '../../parts/format-time.ts';
import { runStates, stateSlug } from '../../parts/run-state.tsx';
import type { Histogram } from './use-runs.ts';

export interface RunHistogramProps {
  readonly histogram: Histogram;
  /** The reader drew over a part of the time. */
  readonly onNarrow: (fromMs: number, toMs: number) => void;
}

/** When runs were due. Drawing over it narrows the time; by keyboard the filter `due:` does the same. */
export function RunHistogram({ histogram, onNarrow }: RunHistogramProps) {
  const { t, i18n } = useTranslation();
  const [drawn, setDrawn] = useState<readonly [number, number]>();
  const isDrawing = useRef(false);
  const { fromMs, toMs, partMs, counts } = histogram;
  const buckets = counts.parts ?? [];
  const sums = new Map<number, number>();
  for (const { startMs, count } of buckets) sums.set(startMs, (sums.get(startMs) ?? 0) + count);
  const highest = Math.max(1, ...sums.values());
  const bases = new Map<number, number>();
  const span = Math.max(toMs - fromMs, 1);
  const order = (state: (typeof buckets)[number]['state']): number => runStates.indexOf(state);
  const placeOf = (event: PointerEvent): number => {
    const box = event.currentTarget.getBoundingClientRect();
    return Math.min(Math.max((event.clientX - box.left) / box.width, 0), 1);
  };
  const moment = (ms: number): string => formatMoment(ms, i18n.language);
  const finish = (): void => {
    isDrawing.current = false;
    if (drawn) {
      const [from, to] = [Math.min(...drawn), Math.max(...drawn)];
      // A click means the part that was clicked.
      const [first, last] = [Math.floor((from * span) / partMs), Math.ceil((to * span) / partMs)];
      onNarrow(Math.round(fromMs + first * partMs), Math.round(fromMs + Math.max(last, first + 1) * partMs));
    }
    setDrawn(undefined);
  };
  const total = [...sums.values()].reduce((sum, count) => sum + count, 0);
  return (
    <div className="hist">
      <div
        className="plot bare"
        role="img"
        aria-label={t('runs.histogram', {
          n: formatCount(total, i18n.language),
          from: moment(fromMs),
          to: moment(toMs),
        })}
        onPointerDown={(event) => {
          isDrawing.current = true;
          event.currentTarget.setPointerCapture(event.pointerId);
          setDrawn([placeOf(event), placeOf(event)]);
        }}
        onPointerMove={(event) => {
          if (isDrawing.current) setDrawn((known) => known && [known[0], placeOf(event)]);
        }}
        onPointerUp={finish}
        onPointerCancel={() => setDrawn(undefined)}
      >
        <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
          {[...buckets]
            .sort((a, b) => order(a.state) - order(b.state))
            .map(({ startMs, state, count }) => {
              const base = bases.get(startMs) ?? 0;
              bases.set(startMs, base + count);
              const height = (count / highest) * 100;
              return (
                <rect
                  key={`${startMs} ${state}`}
                  data-state={stateSlug(state)}
                  className="fill"
                  x={((startMs - fromMs) / span) * 100 + 0.15}
                  width={(partMs / span) * 100 - 0.3}
                  y={100 - (base / highest) * 100 - height}
                  height={height}
                />
              );
            })}
          {drawn && (
            <rect
              className="drawn"
              x={Math.min(...drawn) * 100}
              width={Math.abs(drawn[1] - drawn[0]) * 100}
              y={0}
              height={100}
            />
          )}
        </svg>
        <span className="x first" style={{ left: 0 }}>
          {moment(fromMs)}
        </span>
        <span className="x" style={{ left: '50%' }}>
          {moment(fromMs + span / 2)}
        </span>
        <span className="x last" style={{ left: '100%' }}>
          {Math.abs(Date.now() - toMs) < 60_000 ? t('runs.now') : moment(toMs)}
        </span>
      </div>
    </div>
  );
}
