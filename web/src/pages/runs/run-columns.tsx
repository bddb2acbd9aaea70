/**
 * The cells of a run. They have no hooks and no components with a life of their own: whoever flings the page makes ten rows
 * with every frame, and what a row costs is felt.
 */
import { createColumnHelper, tableFeatures } from '@tanstack/react-table';
import type { TFunction } from 'i18next';
import { Epoch } from '../../parts/epoch.tsx';
import { formatAgo, formatMoment, formatTook, formatWhole } from '../../parts/format-time.ts';
import { shownRunState, stateSlug } from '../../parts/run-state.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import type { RunRow } from './use-runs.ts';

/** What a cell needs beside its row. */
export interface CellContext {
  readonly t: TFunction;
  readonly language: string;
  readonly nowMs: number;
  readonly workers: ReadonlyMap<number, string>;
}

interface ColumnMeta {
  readonly className?: string;
  /** The label on small screens, where there is no head. */
  readonly label?: 'attempt' | 'epoch';
}

export const runFeatures = tableFeatures({ columnMeta: {} as ColumnMeta, tableMeta: {} as CellContext });
const helper = createColumnHelper<typeof runFeatures, RunRow>();

export const runColumns = helper.columns([
  helper.accessor('state', {
    cell: ({ row, table }) => {
      const state = shownRunState(row.original);
      const word = table.options.meta?.t(`runState.${state}`) ?? '';
      return <StateBadge state={stateSlug(state)} word={word} spin={state === 'RUNNING'} />;
    },
  }),
  helper.accessor('job', { meta: { className: 'lead-cell strong' } }),
  helper.accessor('id', {
    meta: { className: 'id' },
    // The table follows it without leaving the page.
    cell: ({ getValue }) => <a href={`/runs/${getValue()}`}>{getValue()}</a>,
  }),
  helper.accessor('attempt', { meta: { className: 'r', label: 'attempt' } }),
  helper.accessor('workerId', {
    cell: ({ getValue, table }) => {
      const id = getValue();
      return id === null ? <span className="mute">–</span> : (table.options.meta?.workers.get(id) ?? `#${id}`);
    },
  }),
  helper.accessor('leaderEpoch', {
    meta: { className: 'r ep', label: 'epoch' },
    cell: ({ getValue }) => <Epoch value={getValue()} />,
  }),
  helper.accessor((run) => run.dueAtMs ?? run.scheduledForMs, {
    id: 'due',
    cell: ({ getValue, table }) => {
      const { language = 'en', nowMs = 0 } = table.options.meta ?? {};
      const ms = getValue();
      return (
        <time dateTime={new Date(ms).toISOString()} title={formatWhole(ms, language)}>
          {formatMoment(ms, language)}
          <span className="mute"> {formatAgo(ms, nowMs, language)}</span>
        </time>
      );
    },
  }),
  helper.accessor((run) => run, {
    id: 'took',
    meta: { className: 'r hide' },
    cell: ({ getValue, table }) => {
      const { startedAtMs, finishedAtMs } = getValue();
      if (startedAtMs === null) return <span className="mute">–</span>;
      return formatTook(Math.max((finishedAtMs ?? table.options.meta?.nowMs ?? 0) - startedAtMs, 0));
    },
  }),
  helper.accessor((run) => run.error ?? run.reason ?? '', {
    id: 'why',
    meta: { className: 'err full' },
    cell: ({ getValue }) => getValue() && <span title={getValue()}>{getValue()}</span>,
  }),
]);
