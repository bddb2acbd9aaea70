import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useContext, useEffect, useRef, useState } from 'react';
import { Button } from 'react-aria-components';
import { useTranslation } from 'react-i18next';
import { mayAct, useSession } from '../../api/use-session.ts';
import { Empty } from '../../parts/empty.tsx';
import { formatClock, formatCount } from '../../parts/format-time.ts';
import { Icon } from '../../parts/icon.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { LiveContext, useHold } from '../../shell/live-context.ts';
import { RunNowDialog } from '../jobs/run-now-dialog.tsx';
import { BulkBar } from './bulk-bar.tsx';
import { FilterBar, useFilterTexts } from './filter-bar.tsx';
import { RunHistogram } from './histogram.tsx';
import { type RunSearch, statesOf, without } from './run-search.ts';
import { useSelection } from './run-selection.ts';
import { RunTable } from './run-table.tsx';
import { SavedViews } from './saved-views.tsx';
import { StateTabs } from './state-tabs.tsx';
import { useCounts, useHistogram, useRuns, useStateCounts } from './use-runs.ts';

const densityKey = 'kannuki-runs-density';

/** Every run, live, filtered by the address. */
export function RunsPage() {
  const { t, i18n } = useTranslation();
  const navigate = useNavigate();
  const { data: session } = useSession();
  const search: RunSearch = useSearch({ from: '/shell/runs' });
  const list = useRuns(search);
  const { rows, error, refetch, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, isDeep, surface } = list;
  const counts = useStateCounts(search);
  const isFiltered = Object.keys(search).length > 0;
  const all = useCounts({}, isFiltered);
  const { data: histogram } = useHistogram(search);
  const selection = useSelection();
  const [isCompact, setCompact] = useState(() => localStorage.getItem(densityKey) === 'compact');
  const [isStarting, setStarting] = useState(false);
  useHold(selection.ids.size > 0 || isDeep);
  useSurfacing(isDeep, surface);
  const show = (next: RunSearch): void => {
    selection.clear();
    void navigate({ to: '/runs', search: next });
  };
  const choose = (compact: boolean): void => {
    setCompact(compact);
    localStorage.setItem(densityKey, compact ? 'compact' : 'normal');
  };
  const onMore = useCallback(() => {
    if (!isFetchingNextPage) void fetchNextPage();
  }, [isFetchingNextPage, fetchNextPage]);
  const states = statesOf(search);
  const matching =
    states.length === 0
      ? (counts.data?.total ?? 0)
      : states.reduce((sum, state) => sum + (counts.data?.states[state] ?? 0), 0);
  const total = isFiltered ? (all.data?.total ?? matching) : matching;
  const number = (count: number): string => formatCount(count, i18n.language);
  return (
    <>
      <div className="page-h">
        <h1>{t('runs.title')}</h1>
        <span className="sub">
          {counts.data &&
            (isFiltered
              ? t('runs.matchOf', { n: number(matching), total: number(total) })
              : t('runs.matchAll', { total: number(total) }))}
        </span>
        <div className="push row">
          <Button className="btn" isDisabled={!mayAct(session, 'operator')} onPress={() => setStarting(true)}>
            <Icon name="play" />
            {t('runs.runNow')}
          </Button>
        </div>
      </div>
      <div className="row wrap tools-row">
        <FilterBar search={search} onChange={show} />
        <SavedViews search={search} onShow={show} />
        <fieldset className="seg no-s" aria-label={t('runs.density')}>
          <button type="button" aria-pressed={isCompact} onClick={() => choose(true)}>
            {t('runs.compact')}
          </button>
          <button type="button" aria-pressed={!isCompact} onClick={() => choose(false)}>
            {t('runs.normal')}
          </button>
        </fieldset>
      </div>
      {error && <ProblemNote error={error} onAgain={() => void refetch()} />}
      <div className="card">
        <StateTabs search={search} counts={counts.data} />
        {histogram && (
          <RunHistogram histogram={histogram} onNarrow={(from, to) => show({ ...search, due: `${from}-${to}` })} />
        )}
        {selection.ids.size > 0 && <BulkBar search={search} selection={selection} matching={matching} rows={rows} />}
        {rows.length === 0 && !isPending ? (
          <NoRuns search={search} onShow={show} />
        ) : (
          <RunTable
            rows={rows}
            total={matching}
            selection={selection}
            isCompact={isCompact}
            hasMore={hasNextPage}
            onMore={onMore}
          />
        )}
        <div className="card-f">
          <span>{t('runs.shown', { shown: number(rows.length), total: number(matching) })}</span>
          <KeyHints />
          <span className="push">
            {counts.data && t('runs.counted', { time: formatClock(counts.data.atMs, i18n.language) })}
          </span>
        </div>
      </div>
      {isStarting && <RunNowDialog onClose={() => setStarting(false)} />}
    </>
  );
}

/** Whoever reads far down is not disturbed: what is new waits until they come back up, or ask for it. */
function useSurfacing(isDeep: boolean, surface: () => void): void {
  const { isLive } = useContext(LiveContext);
  const wasHeld = useRef(false);
  useEffect(() => {
    if (!isDeep) return;
    const onScroll = (): void => {
      if (scrollY === 0) surface();
    };
    addEventListener('scrollend', onScroll);
    return () => removeEventListener('scrollend', onScroll);
  }, [isDeep, surface]);
  useEffect(() => {
    if (isDeep && isLive && wasHeld.current) {
      scrollTo(0, 0);
      surface();
    }
    wasHeld.current = isDeep && !isLive;
  }, [isDeep, isLive, surface]);
}

function KeyHints() {
  const { t } = useTranslation();
  const hints = [
    [['J', 'K'], 'runs.move'],
    [['X'], 'runs.selectKey'],
    [['↵'], 'runs.openKey'],
    [['/'], 'runs.filterKey'],
    [['P'], 'runs.pauseKey'],
    [['?'], 'runs.allKeys'],
  ] as const;
  return (
    <span className="no-s row">
      {hints.map(([keys, word]) => (
        <span key={word} className="hint">
          {keys.map((key) => (
            <kbd key={key}>{key}</kbd>
          ))}{' '}
          {t(word)}
        </span>
      ))}
    </span>
  );
}

function NoRuns({ search, onShow }: { readonly search: RunSearch; readonly onShow: (search: RunSearch) => void }) {
  const { t, i18n } = useTranslation();
  const texts = useFilterTexts()(search);
  const last = texts.at(-1);
  const withoutLast = last ? without(search, last.name) : {};
  const { data } = useCounts(withoutLast, last !== undefined);
  if (!last) {
    return (
      <Empty title={t('runs.emptyTitle')}>
        <p>
          {t('runs.emptyText')} <code>kannuki demo</code>
        </p>
      </Empty>
    );
  }
  const filter = `${last.key} ${last.op} ${last.value}`;
  return (
    <Empty title={t('runs.emptyFiltered', { count: texts.length })}>
      <p>{data && t('runs.emptyWithout', { filter, n: formatCount(data.total, i18n.language) })}</p>
      <button type="button" className="btn" onClick={() => onShow(withoutLast)}>
        {t('runs.drop', { filter })}
      </button>
    </Empty>
  );
}
