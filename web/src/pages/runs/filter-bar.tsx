import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatMoment } from '../../parts/format-time.ts';
import { Icon } from '../../parts/icon.tsx';
import { useToast } from '../../shell/toasts.tsx';
import { type FilterName, parseFilter, type RunSearch, rangeOf, statesOf, without } from './run-search.ts';

export interface FilterBarProps {
  readonly search: RunSearch;
  readonly onChange: (search: RunSearch) => void;
}

/** Chips for what is chosen, and one field for the rest. */
export function FilterBar({ search, onChange }: FilterBarProps) {
  const { t } = useTranslation();
  const say = useToast();
  const [text, setText] = useState('');
  const [problem, setProblem] = useState('');
  const texts = useFilterTexts();
  const add = (event: FormEvent): void => {
    event.preventDefault();
    if (text.trim() === '') return;
    const parsed = parseFilter(text);
    setProblem(parsed ? '' : t('runs.badFilter', { text: text.trim() }));
    if (!parsed) return;
    setText('');
    onChange({ ...search, ...parsed });
  };
  const copy = async (): Promise<void> => {
    await navigator.clipboard?.writeText(location.href).catch(() => undefined);
    say(t('act.copied'));
  };
  return (
    <>
      <search className="tools">
        <form className="filters" aria-label={t('runs.filters')} onSubmit={add}>
          <Icon name="filter" />
          {texts(search).map(({ name, key, op, value }) => (
            <span key={name} className="fchip">
              <span className="k">{key}</span>
              <span className="op">{op}</span>
              <span className="clip" title={value}>
                {value}
              </span>
              <button
                type="button"
                aria-label={t('runs.remove', { name: key })}
                onClick={() => onChange(without(search, name))}
              >
                <Icon name="x" />
              </button>
            </span>
          ))}
          <input
            aria-label={t('runs.filterHelp')}
            aria-invalid={problem !== ''}
            placeholder={t('runs.filterPlaceholder')}
            maxLength={1_000}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
          <button type="button" className="btn sm ghost" onClick={() => void copy()}>
            <Icon name="link" />
            <span className="no-s">{t('runs.copyLink')}</span>
            <span className="sr only-s">{t('runs.copyLink')}</span>
          </button>
        </form>
      </search>
      {(problem !== '' || search.payload !== undefined) && (
        <p className="under-filters" role="status" data-state={problem === '' ? undefined : 'failed'}>
          {problem || (search.due === undefined && t('runs.payloadNeedsTime'))}
        </p>
      )}
    </>
  );
}

export interface FilterText {
  readonly name: FilterName;
  readonly key: string;
  readonly op: string;
  readonly value: string;
}

/** The filters in words, in the order of the address. */
export function useFilterTexts(): (search: RunSearch) => readonly FilterText[] {
  const { t, i18n } = useTranslation();
  return (search) =>
    (Object.keys(search) as FilterName[]).map((name) => {
      if (name === 'due') {
        const range = rangeOf(search.due ?? '', Date.now());
        const moment = (ms: number): string => formatMoment(ms, i18n.language);
        const value =
          range?.toMs === undefined
            ? t('runs.last', { span: search.due ?? '' })
            : t('runs.from', { from: moment(range.fromMs), to: moment(range.toMs) });
        return { name, key: 'due', op: t('runs.in'), value };
      }
      if (name === 'payload') {
        const [path = '', ...rest] = (search.payload ?? '').split('=');
        return { name, key: `payload.${path}`, op: t('runs.is'), value: rest.join('=') };
      }
      const value =
        name === 'state'
          ? statesOf(search)
              .map((state) => t(`runState.${state}`).toLowerCase())
              .join(', ')
          : String(search[name]);
      return { name, key: name, op: t('runs.is'), value };
    });
}
