/** The rows that are seen, and nothing else: two empty rows stand for all above and below. */
import { useNavigate } from '@tanstack/react-router';
import { FlexRender, type Row, useTable } from '@tanstack/react-table';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { memo, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useWorkerNames } from '../../api/use-workers.ts';
import { useNow } from '../../parts/use-now.ts';
import { isTyping } from '../../shell/use-keys.ts';
import { runColumns, runFeatures } from './run-columns.tsx';
import type { Selection } from './run-selection.ts';
import type { RunRow } from './use-runs.ts';

export interface RunTableProps {
  readonly rows: readonly RunRow[];
  readonly total: number;
  readonly selection: Selection;
  readonly isCompact: boolean;
  readonly hasMore: boolean;
  readonly onMore: () => void;
}

const heads = ['state', 'job', 'run', 'attempt', 'worker', 'epoch', 'due', 'took', 'why'] as const;
/** Rows before the end at which the next page is asked for. */
const aheadRows = 60;

export function RunTable({ rows, total, selection, isCompact, hasMore, onMore }: RunTableProps) {
  const { t } = useTranslation();
  const place = useRef<HTMLTableSectionElement>(null);
  const [top, setTop] = useState(0);
  const rowPx = useRowHeight(isCompact);
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowPx,
    overscan: 12,
    scrollMargin: top,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is above the table changes with what it shows.
  useLayoutEffect(() => {
    setTop((place.current?.getBoundingClientRect().top ?? 0) + window.scrollY);
    virtual.measure();
  }, [rowPx, selection.ids.size > 0]);
  const items = virtual.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const last = items.at(-1)?.index ?? -1;
  const seen = useMemo(() => rows.slice(first, last + 1), [rows, first, last]);
  const nowMs = useNow();
  const workers = useWorkerNames();
  const table = useTable({
    features: runFeatures,
    columns: runColumns,
    data: seen,
    getRowId: (run) => String(run.id),
    meta: { t, nowMs, workers },
  });
  useEffect(() => {
    if (hasMore && last >= rows.length - aheadRows) onMore();
  }, [hasMore, last, rows.length, onMore]);
  const cursor = useCursor(rows, selection, (index) => virtual.scrollToIndex(index, { align: 'auto' }));
  const isAllChosen = rows.length > 0 && rows.every(({ id }) => selection.ids.has(id));
  return (
    <table
      className={isCompact ? 'tbl fixed cards runs compact' : 'tbl fixed cards runs'}
      aria-rowcount={total + 1}
      aria-label={t('runs.title')}
    >
      <thead>
        <tr>
          <th className="sel">
            <input
              type="checkbox"
              className={selection.ids.size > 0 && !isAllChosen ? 'check mixed' : 'check'}
              aria-label={t('runs.selectPage')}
              checked={isAllChosen || selection.isAll}
              onChange={() => (isAllChosen ? selection.clear() : selection.set(rows.map(({ id }) => id)))}
            />
          </th>
          {heads.map((head) => (
            <th key={head} className={`c-${head}`} {...(head === 'run' && { 'aria-sort': 'descending' as const })}>
              {t(`runs.${head}`)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody ref={place}>
        <Gap px={first * rowPx} />
        {table.getRowModel().rows.map((row, at) => {
          const { id } = row.original;
          const isChosen = selection.isAll || selection.ids.has(id);
          return (
            <SeenRow
              key={row.id}
              row={row}
              index={first + at}
              isChosen={isChosen}
              isCursor={id === cursor}
              onToggle={selection.toggle}
              nowMs={nowMs}
              workers={workers}
            />
          );
        })}
        <Gap px={(rows.length - 1 - last) * rowPx} />
      </tbody>
    </table>
  );
}

interface SeenRowProps {
  readonly row: Row<typeof runFeatures, RunRow>;
  readonly index: number;
  readonly isChosen: boolean;
  readonly isCursor: boolean;
  readonly onToggle: (id: number) => void;
  /** These two are read by the cells; when they change, the cells do. */
  readonly nowMs: number;
  readonly workers: ReadonlyMap<number, string>;
}

/** The table makes new rows with every step of the scroll: what is the same run in the same state is not drawn again. */
const SeenRow = memo(
  function SeenRow({ row, index, isChosen, isCursor, onToggle }: SeenRowProps) {
    const { t } = useTranslation();
    const { id } = row.original;
    return (
      <tr aria-rowindex={index + 2} aria-selected={isChosen} className={isCursor ? 'cursor' : undefined}>
        <td className="sel">
          <input
            type="checkbox"
            className="check"
            aria-label={t('runs.select', { id })}
            checked={isChosen}
            onChange={() => onToggle(id)}
          />
        </td>
        {row.getAllCells().map((cell) => {
          const { className, label } = cell.column.columnDef.meta ?? {};
          return (
            <td key={cell.id} className={className} data-l={label && t(`run.${label}`)}>
              <FlexRender cell={cell} />
            </td>
          );
        })}
      </tr>
    );
  },
  ({ row, ...before }, { row: next, ...after }) =>
    row.original === next.original &&
    (Object.keys(after) as (keyof typeof after)[]).every((name) => before[name] === after[name]),
);

function Gap({ px }: { readonly px: number }) {
  return px > 0 ? <tr className="gap" style={{ height: `${px}px` }} /> : null;
}

/** J and K move, X selects, Enter opens. Keys may come quicker than the page is drawn, so they look at the latest. */
function useCursor(rows: readonly RunRow[], selection: Selection, show: (index: number) => void): number | undefined {
  const [cursor, setCursor] = useState<number>();
  const navigate = useNavigate();
  const latest = useRef({ rows, selection, show, cursor });
  latest.current = { ...latest.current, rows, selection, show };
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (isTyping(event) || event.metaKey || event.ctrlKey || event.altKey) return;
      const { current: now } = latest;
      const step = { j: 1, k: -1 }[event.key];
      if (step !== undefined && now.rows.length > 0) {
        const index = now.rows.findIndex(({ id }) => id === now.cursor);
        const next = Math.min(Math.max(index + step, 0), now.rows.length - 1);
        now.cursor = now.rows[next]?.id;
        setCursor(now.cursor);
        now.show(next);
      } else if (now.cursor !== undefined && event.key === 'x') now.selection.toggle(now.cursor);
      else if (now.cursor !== undefined && event.key === 'Enter' && event.target === document.body)
        void navigate({ to: '/runs/$id', params: { id: String(now.cursor) } });
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [navigate]);
  return cursor;
}

const small = matchMedia('(max-width: 720px)');

/** Fixed, so that what is not drawn still has its place. The style sheet knows the same heights. */
function useRowHeight(isCompact: boolean): number {
  const [isSmall, setSmall] = useState(small.matches);
  useEffect(() => {
    const onChange = (): void => setSmall(small.matches);
    small.addEventListener('change', onChange);
    return () => small.removeEventListener('change', onChange);
  }, []);
  return isSmall ? 84 : isCompact ? 28 : 34;
}
