import 'uplot/dist/uPlot.min.css';
import { useEffect, useRef } from 'react';
import type UPlot from 'uplot';

export interface PlotSeries {
  readonly label: string;
  /** The name of a token without its dashes: `green-solid`. */
  readonly colour: string;
  readonly values: readonly (number | null)[];
  /** @default 'line' */
  readonly kind?: 'bars' | 'line';
}

export interface PlotProps {
  /** In seconds. */
  readonly times: readonly number[];
  readonly series: readonly PlotSeries[];
  /** The whole plot in a sentence, for those who do not see it. */
  readonly sentence: string;
}

const heightPx = 118;

/** uPlot in the page's own colours. It is drawn anew when the colours or the width change. */
export function Plot({ times, series, sentence }: PlotProps) {
  const place = useRef<HTMLDivElement>(null);
  const latest = useRef({ times, series });
  latest.current = { times, series };
  const plot = useRef<UPlot>(undefined);
  const shape = series.map(({ label, colour, kind }) => `${label} ${colour} ${kind}`).join('|');

  // biome-ignore lint/correctness/useExhaustiveDependencies: the shape stands for the series; values are set below.
  useEffect(() => {
    const box = place.current;
    if (!box) return;
    let Drawn: typeof UPlot | undefined;
    const draw = (): void => {
      plot.current?.destroy();
      const width = box.clientWidth;
      if (width > 0 && Drawn)
        plot.current = new Drawn(optionsOf(Drawn, latest.current.series, width), dataOf(latest.current), box);
    };
    // It reads the browser's language while it loads and fails on a strange one; the sentence is there without it.
    import('uplot').then(
      (loaded) => {
        Drawn = loaded.default;
        draw();
      },
      () => undefined,
    );
    const resized = new ResizeObserver(() => {
      if (plot.current && box.clientWidth > 0) plot.current.setSize({ width: box.clientWidth, height: heightPx });
      else draw();
    });
    resized.observe(box);
    const themed = new MutationObserver(draw);
    themed.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    return () => {
      resized.disconnect();
      themed.disconnect();
      plot.current?.destroy();
      plot.current = undefined;
    };
  }, [shape]);

  useEffect(() => {
    plot.current?.setData(dataOf({ times, series }));
  }, [times, series]);
  return <div ref={place} className="uplot-box" role="img" aria-label={sentence} />;
}

function dataOf({ times, series }: Pick<PlotProps, 'times' | 'series'>): UPlot.AlignedData {
  return [[...times], ...series.map(({ values }) => [...values])] as UPlot.AlignedData;
}

function optionsOf(Drawn: typeof UPlot, series: readonly PlotSeries[], width: number): UPlot.Options {
  const styles = getComputedStyle(document.documentElement);
  const token = (name: string): string => styles.getPropertyValue(`--${name}`).trim();
  const font = `11px ${token('font-sans')}`;
  const axis = { stroke: token('ink-3'), font, ticks: { show: false }, grid: { stroke: token('line'), width: 1 } };
  const bars = Drawn.paths.bars?.({ size: [0.8, 12] });
  return {
    width,
    height: heightPx,
    legend: { show: false },
    cursor: { show: false },
    padding: [6, 2, 0, 0],
    scales: { x: { time: true }, y: { range: (_, __, most) => [0, Math.max(most * 1.1, 1)] } },
    axes: [
      { ...axis, grid: { show: false }, size: 20, gap: 4, space: 70, values: (_, ticks) => ticks.map(hourMinute) },
      { ...axis, size: 34, gap: 4, space: 34, values: (_, ticks) => ticks.map(shortNumber) },
    ],
    series: [
      {},
      ...series.map(({ colour, kind = 'line' }) => ({
        stroke: token(colour),
        width: kind === 'bars' ? 0 : 1.5,
        points: { show: false },
        spanGaps: true,
        ...(kind === 'bars' && { fill: token(colour), ...(bars && { paths: bars }) }),
      })),
    ],
  };
}

function hourMinute(seconds: number): string {
  return new Date(seconds * 1_000).toTimeString().slice(0, 5);
}

function shortNumber(value: number): string {
  return value >= 10_000 ? `${Math.round(value / 1_000)}k` : String(Math.round(value * 10) / 10);
}
