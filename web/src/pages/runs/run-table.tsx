/** The rows that are seen, and nothing else: two empty rows stand for all above and below. */
import { useNavigate, useRouter } from '@tanstack/react-router';
import { useTable } from '@tanstack/react-table';
import { type MouseEvent, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useWorkerNames } from '../../api/use-workers.ts';
import { useNow } from '../../parts/use-now.ts';
import { isTyping } from '../../shell/use-keys.ts';
import { runColumns, runFeatures } from './run-columns.tsx';
import type { Selection } from './run-selection.ts';
import { SeenRow } from './seen-row.tsx';
import type { RunRow } from './use-runs.ts';
import { useSeenRows } from './use-seen-rows.ts';

export interface RunTableProps {
  readonly rows: readonly RunRow[];
  readonly total: number;
  readonly selection: Selection;
  readonly isCompact: boolean;
  readonly hasMore: boolean;
  readonly onMore: () => void;
}

const heads = ['state', 'job', 'run', 'attempt', 'worker', 'epoch', 'due', 'took', 'why'] as const;
/** Rows before the end at which the next page is asked for; of the first, short page a share of it. */
const aheadRows = 250;
const aheadShare = 0.6;

export function RunTable({ rows, total, selection, isCompact, hasMore, onMore }: RunTableProps) {
  const { t, i18n } = useTranslation();
  const { language } = i18n;
  const place = useRef<HTMLTableSectionElement>(null);
  const rowPx = useRowHeight(isCompact);
  const { first, last, show } = useSeenRows(place, rows.length, rowPx);
  const seen = useMemo(() => rows.slice(first, last + 1), [rows, first, last]);
  const nowMs = useNow();
  const workers = useWorkerNames();
  const table = useTable({
    features: runFeatures,
    columns: runColumns,
    data: seen,
    getRowId: (run) => String(run.id),
    meta: { t, language, nowMs, workers },
  });
  useEffect(() => {
    if (hasMore && last >= rows.length - Math.min(aheadRows, rows.length * aheadShare)) onMore();
  }, [hasMore, last, rows.length, onMore]);
  const cursor = useCursor(rows, selection, show);
  // Counted first: with nothing chosen, a hundred thousand rows need not be looked at.
  const isAllChosen =
    rows.length > 0 && selection.ids.size >= rows.length && rows.every(({ id }) => selection.ids.has(id));
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
      <tbody ref={place} {...useLinks()}>
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
              t={t}
              language={language}
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

function Gap({ px }: { readonly px: number }) {
  return px > 0 ? <tr className="gap" style={{ height: `${px}px` }} /> : null;
}

/** One listener follows the links of all rows, and the page they lead to is loaded once the pointer is near. */
function useLinks() {
  const router = useRouter();
  const navigate = useNavigate();
  return {
    onPointerEnter: () => void router.preloadRoute({ to: '/runs/$id', params: { id: '0' } }),
    onClick(event: MouseEvent<HTMLElement>) {
      const link = event.target instanceof Element ? event.target.closest('a') : null;
      const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
      if (!link || !isPlain) return;
      event.preventDefault();
      void navigate({ to: link.pathname });
    },
  };
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
