/** Filters that somebody comes back to, kept in this browser under the words of the filters themselves. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../parts/icon.tsx';
import { useFilterTexts } from './filter-bar.tsx';
import { type RunSearch, runSearch } from './run-search.ts';

export interface SavedViewsProps {
  readonly search: RunSearch;
  readonly onShow: (search: RunSearch) => void;
}

const storageKey = 'kannuki-runs-views';
const viewsMax = 20;

export function SavedViews({ search, onShow }: SavedViewsProps) {
  const { t } = useTranslation();
  const texts = useFilterTexts();
  const [views, setViews] = useState(readViews);
  const [isOpen, setOpen] = useState(false);
  const nameOf = (view: RunSearch): string =>
    texts(view)
      .map(({ key, op, value }) => `${key} ${op} ${value}`)
      .join(' · ');
  const keep = (next: readonly RunSearch[]): void => {
    setViews(next);
    localStorage.setItem(storageKey, JSON.stringify(next));
  };
  const isKept = views.some((view) => isSame(view, search));
  const canKeep = Object.keys(search).length > 0 && !isKept && views.length < viewsMax;
  return (
    <details className="views no-s" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="btn">
        {t('views.title')} <Icon name="down" small />
      </summary>
      <div className="views-list">
        {views.length === 0 && <p className="mute xs">{t('views.empty')}</p>}
        <ul>
          {views.map((view) => (
            <li key={JSON.stringify(view)} className="row">
              <button
                type="button"
                className="linkish clip"
                aria-current={isSame(view, search)}
                onClick={() => {
                  setOpen(false);
                  onShow(view);
                }}
              >
                {nameOf(view)}
              </button>
              <button
                type="button"
                className="btn icon sm ghost push"
                aria-label={t('views.drop', { name: nameOf(view) })}
                onClick={() => keep(views.filter((one) => one !== view))}
              >
                <Icon name="x" small />
              </button>
            </li>
          ))}
        </ul>
        <button type="button" className="btn sm" disabled={!canKeep} onClick={() => keep([...views, search])}>
          {t('views.keep')}
        </button>
      </div>
    </details>
  );
}

function isSame(a: RunSearch, b: RunSearch): boolean {
  return JSON.stringify(runSearch({ ...a })) === JSON.stringify(runSearch({ ...b }));
}

/** What an older version, or somebody else, has written there is no reason to show nothing. */
function readViews(): readonly RunSearch[] {
  try {
    const known: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '[]');
    return Array.isArray(known) ? known.slice(0, viewsMax).map((view) => runSearch({ ...view })) : [];
  } catch {
    return [];
  }
}
