import { Link } from '@tanstack/react-router';
import { createColumnHelper, tableFeatures } from '@tanstack/react-table';
import type { TFunction } from 'i18next';
import { Epoch } from '../../parts/epoch.tsx';
import { formatTook } from '../../parts/format-time.ts';
import { RunStateBadge } from '../../parts/run-state.tsx';
import { When } from '../../parts/when.tsx';
import type { RunRow } from './use-runs.ts';

/** What a cell needs beside its row. */
export interface CellContext {
  readonly t: TFunction;
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
    cell: ({ row }) => <RunStateBadge state={row.original.state} continuation={row.original.continuation} />,
  }),
  helper.accessor('job', { meta: { className: 'lead-cell strong' } }),
  helper.accessor('id', {
    meta: { className: 'id' },
    cell: ({ getValue }) => (
      <Link to="/runs/$id" params={{ id: String(getValue()) }}>
        {getValue()}
      </Link>
    ),
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
    cell: ({ getValue, table }) => <When ms={getValue()} nowMs={table.options.meta?.nowMs ?? 0} />,
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
    cell: ({ getValue }) => <span title={getValue()}>{getValue()}</span>,
  }),
]);
