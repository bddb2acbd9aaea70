import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { formatMoment, formatPercent, formatTook } from '../../parts/format-time.ts';
import { Plot, type PlotSeries } from './plot.tsx';
import { type Overview, useDayOfRaces } from './use-overview.ts';

/** How much gets done, how soon, and how much of it fails. */
export function Plots({ overview }: { readonly overview: Overview }) {
  const { t, i18n } = useTranslation();
  const { parts, partMs, atMs, now } = overview;
  const minutesPerPart = partMs / 60_000;
  const filled = useMemo(() => fill(overview), [overview]);
  const times = filled.map(({ startMs }) => startMs / 1_000);
  const done = parts.reduce((sum, part) => sum + part.succeeded + part.failed, 0);
  const failed = parts.reduce((sum, part) => sum + part.failed, 0);
  const minutes = filled.length * minutesPerPart;
  const last = parts.at(-1);
  const span = {
    from: formatMoment((times[0] ?? 0) * 1_000, i18n.language),
    to: formatMoment(atMs, i18n.language),
  };
  const running = now.states.RUNNING ?? 0;
  const perMinute = (count: number): number => count / minutesPerPart;
  const races = useRacesPerHour(atMs);
  const cards: readonly {
    readonly title: string;
    readonly value: string;
    readonly detail: string;
    readonly series: readonly PlotSeries[];
    readonly at?: readonly number[];
  }[] = [
    {
      title: t('overview.finished'),
      value: (done / Math.max(minutes, 1)).toFixed(1),
      detail: t('overview.failedD', { count: failed }),
      series: [
        {
          label: t('overview.succeeded'),
          colour: 'green-solid',
          kind: 'bars',
          values: filled.map((part) => perMinute(part.succeeded + part.failed)),
        },
        {
          label: t('overview.failed'),
          colour: 'red-solid',
          kind: 'bars',
          values: filled.map(({ failed: count }) => perMinute(count)),
        },
      ],
    },
    {
      title: t('overview.late'),
      value: last?.p95Ms == null ? '–' : formatTook(last.p95Ms),
      detail: t('overview.p95'),
      series: [
        { label: t('overview.p95'), colour: 'blue-solid', values: filled.map(({ p95Ms }) => p95Ms) },
        { label: t('overview.p50'), colour: 'grey-solid', values: filled.map(({ p50Ms }) => p50Ms) },
      ],
    },
    {
      title: t('overview.failedShare'),
      value: done === 0 ? '–' : formatPercent(failed / done),
      detail: t('overview.waitingD', { running }),
      series: [
        {
          label: t('overview.failed'),
          colour: 'orange-solid',
          values: filled.map((part) => {
            const all = part.failed + part.succeeded;
            return all === 0 ? null : (part.failed / all) * 100;
          }),
        },
      ],
    },
    {
      title: t('overview.racesPerHour'),
      value: String(races.resolved),
      detail: t('overview.racesOpen', { count: races.open }),
      at: races.times,
      series: [
        { label: t('overview.racesOther'), colour: 'grey-solid', kind: 'bars', values: races.all },
        { label: t('overview.racesRefunded'), colour: 'teal-solid', kind: 'bars', values: races.refunded },
      ],
    },
  ];
  return (
    <div className="grid g4 plots">
      {cards.map(({ title, value, detail, series, at }) => (
        <section key={title} className="card pcard">
          <h2>{title}</h2>
          <div className="metric">
            <b>{value}</b>
            <span className="d">{detail}</span>
          </div>
          <Plot
            times={at ?? times}
            series={series}
            sentence={`${title}: ${t('overview.plotSpan', { ...span, now: value })}`}
          />
          <div className="legend">
            {series.map(({ label, colour, kind }) => (
              <span key={label}>
                <i
                  className={kind === 'bars' ? 'sq' : undefined}
                  style={{ '--c': `var(--${colour})` } as React.CSSProperties}
                />
                {label}
              </span>
            ))}
          </div>
        </section>
      ))}
    </div>
  );
}

/** Of the last 24 hours; what was refunded is drawn in front of all. */
function useRacesPerHour(atMs: number) {
  const { data } = useDayOfRaces();
  return useMemo(() => {
    const races = data ?? [];
    const hour = Math.floor(atMs / 3_600_000);
    const hours = Array.from({ length: 24 }, (_, at) => hour - 23 + at);
    const count = (one: number, isWanted: (race: (typeof races)[number]) => boolean): number =>
      races.filter((race) => Math.floor(race.timestamp / 3_600_000) === one && isWanted(race)).length;
    return {
      times: hours.map((one) => one * 3_600),
      all: hours.map((one) => count(one, () => true)),
      refunded: hours.map((one) => count(one, ({ resolution }) => resolution === 'REFUNDED')),
      resolved: races.filter(({ resolution }) => resolution !== 'MANUAL_REQUIRED').length,
      open: races.filter(({ resolution }) => resolution === 'MANUAL_REQUIRED').length,
    };
  }, [data, atMs]);
}

/** A part in which nothing ended has no row; the plot needs one. */
function fill({ parts, partMs, atMs }: Overview): Overview['parts'] {
  const known = new Map(parts.map((part) => [Math.round(part.startMs / partMs), part]));
  const last = Math.floor(atMs / partMs);
  return Array.from({ length: 60 }, (_, at) => {
    const index = last - 59 + at;
    return known.get(index) ?? { startMs: index * partMs, succeeded: 0, failed: 0, p50Ms: null, p95Ms: null };
  });
}
