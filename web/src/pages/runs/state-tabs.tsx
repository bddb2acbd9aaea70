import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { RunCountsReply } from '../../../../src/server/index.ts';
import { formatCount } from '../../parts/format-time.ts';
import { Icon } from '../../parts/icon.tsx';
import { runStates, stateSlug } from '../../parts/run-state.tsx';
import { type RunSearch, statesOf, without } from './run-search.ts';

export interface StateTabsProps {
  readonly search: RunSearch;
  readonly counts: RunCountsReply | undefined;
}

/** Shortcuts to the filter by state. States that nothing is in are left out unless chosen. */
export function StateTabs({ search, counts }: StateTabsProps) {
  const { t, i18n } = useTranslation();
  const chosen = statesOf(search);
  const others = without(search, 'state');
  const number = (count: number): string =>
    counts?.complete === false && count === counts.total
      ? t('runs.over', { n: formatCount(count, i18n.language) })
      : formatCount(count, i18n.language);
  const shown = runStates.filter((state) => (counts?.states[state] ?? 0) > 0 || chosen.includes(state));
  return (
    <nav className="tabs padded" aria-label={t('runs.states')}>
      <Link to="/runs" search={others} activeOptions={{ exact: true, includeSearch: true }}>
        {t('runs.all')} <span className="n">{counts && number(counts.total)}</span>
      </Link>
      {shown.map((state) => {
        const isChosen = chosen.includes(state);
        const next = isChosen ? chosen.filter((one) => one !== state) : [...chosen, state];
        const target = next.length === 0 ? others : { ...others, state: next.map(stateSlug).join(',') };
        return (
          <Link
            key={state}
            to="/runs"
            search={target}
            activeOptions={{ exact: true, includeSearch: true }}
            data-state={stateSlug(state)}
            aria-current={isChosen ? 'true' : undefined}
          >
            <Icon name={`s-${stateSlug(state)}`} spin={state === 'RUNNING'} />
            {t(`runState.${state}`)} <span className="n">{number(counts?.states[state] ?? 0)}</span>
          </Link>
        );
      })}
    </nav>
  );
}
