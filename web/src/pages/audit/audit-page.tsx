import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { Button } from 'react-aria-components';
import { useTranslation } from 'react-i18next';
import type { AuditReply } from '../../../../src/server/index.ts';
import { callApi } from '../../api/call-api.ts';
import { Empty } from '../../parts/empty.tsx';
import { formatClock } from '../../parts/format-time.ts';
import { Icon } from '../../parts/icon.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { useLiveInterval } from '../../shell/live-context.ts';
import { type AuditSearch, parseAuditFilter } from './audit-search.ts';

type Entry = AuditReply['entries'][number];

const pageSize = 100;

/** Who did what, to what, and why; newest first. */
export function AuditPage() {
  const { t, i18n } = useTranslation();
  const navigate = useNavigate();
  const search: AuditSearch = useSearch({ from: '/shell/audit' });
  const [text, setText] = useState('');
  const [problem, setProblem] = useState('');
  const everyMs = useLiveInterval(5_000);
  const { data, error, refetch, isPending, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ['audit', search],
    initialPageParam: undefined as string | undefined,
    refetchInterval: everyMs,
    queryFn: async ({ pageParam }) => {
      const query = new URLSearchParams({
        ...search,
        limit: String(pageSize),
        ...(pageParam !== undefined && { cursor: pageParam }),
      });
      return callApi<AuditReply>('GET', `/api/v1/audit?${query}`);
    },
    getNextPageParam: ({ cursor }) => cursor,
  });
  const entries = data?.pages.flatMap((page) => page.entries) ?? [];
  const show = (next: AuditSearch): void => void navigate({ to: '/audit', search: next });
  const add = (event: FormEvent): void => {
    event.preventDefault();
    if (text.trim() === '') return;
    const parsed = parseAuditFilter(text);
    setProblem(parsed ? '' : t('audit.bad', { text: text.trim() }));
    if (!parsed) return;
    setText('');
    show({ ...search, ...parsed });
  };
  return (
    <>
      <div className="page-h">
        <h1>{t('audit.title')}</h1>
        <span className="sub">{t('audit.sub')}</span>
        <div className="push">
          <Button className="btn" isDisabled={entries.length === 0} onPress={() => saveCsv(entries)}>
            <Icon name="copy" />
            {t('audit.export')}
          </Button>
        </div>
      </div>
      <search>
        <form className="filters" aria-label={t('audit.filters')} onSubmit={add}>
          <Icon name="filter" />
          {(Object.entries(search) as [keyof AuditSearch, string][]).map(([name, value]) => (
            <span key={name} className="fchip">
              <span className="k">{name}</span>
              <span className="op">{t('runs.is')}</span>
              <span className="clip">{value}</span>
              <button
                type="button"
                aria-label={t('runs.remove', { name })}
                onClick={() => show(Object.fromEntries(Object.entries(search).filter(([one]) => one !== name)))}
              >
                <Icon name="x" />
              </button>
            </span>
          ))}
          <input
            aria-label={t('audit.help')}
            placeholder={t('audit.placeholder')}
            maxLength={600}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        </form>
      </search>
      {problem !== '' && (
        <p className="under-filters" role="status" data-state="failed">
          {problem}
        </p>
      )}
      {error && <ProblemNote error={error} onAgain={() => void refetch()} />}
      <div className="card after-filters">
        {entries.length === 0 && !isPending ? (
          <Empty title={Object.keys(search).length > 0 ? t('audit.emptyFiltered') : t('audit.emptyTitle')}>
            {Object.keys(search).length > 0 ? (
              <button type="button" className="btn" onClick={() => show({})}>
                {t('runs.dropAll')}
              </button>
            ) : (
              <p>{t('audit.emptyText')}</p>
            )}
          </Empty>
        ) : (
          <table className="tbl fixed cards audit">
            <thead>
              <tr>
                <th>{t('audit.time')}</th>
                <th>{t('audit.who')}</th>
                <th>{t('audit.did')}</th>
                <th>{t('audit.to')}</th>
                <th>{t('audit.change')}</th>
                <th>{t('audit.why')}</th>
              </tr>
            </thead>
            <tbody>
              {entries.map((entry) => (
                <tr key={entry.id}>
                  <td className="num soft">
                    <time dateTime={new Date(entry.atMs).toISOString()} title={new Date(entry.atMs).toString()}>
                      {isToday(entry.atMs)
                        ? formatClock(entry.atMs, i18n.language)
                        : new Date(entry.atMs).toLocaleString(i18n.language, {
                            dateStyle: 'short',
                            timeStyle: 'short',
                          })}
                    </time>
                  </td>
                  <td title={entry.actor}>{entry.actor}</td>
                  <td className="mono xs">{entry.action}</td>
                  <td className="lead-cell" title={entry.target}>
                    {entry.target}
                  </td>
                  <td className="soft" title={changeText(entry)}>
                    {changeText(entry)}
                  </td>
                  <td className={entry.why === null ? 'mute hide' : 'mute full'} title={entry.why ?? undefined}>
                    {entry.why === null ? (
                      <>
                        <span aria-hidden="true">–</span>
                        <span className="sr">{t('audit.noWhy')}</span>
                      </>
                    ) : (
                      `“${entry.why}”`
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
        <div className="card-f">
          <span>{t('audit.shown', { count: entries.length })}</span>
          {hasNextPage && (
            <Button className="btn sm" isDisabled={isFetchingNextPage} onPress={() => void fetchNextPage()}>
              {t('act.more')}
            </Button>
          )}
          <span className="push">{t('audit.kept')}</span>
        </div>
      </div>
    </>
  );
}

/** `FAILED → 512`: what differs, in the fewest words. */
function changeText({ before, after }: Entry): string {
  return `${brief(before)} → ${brief(after)}`;
}

function brief(value: unknown): string {
  if (value === null || value === undefined) return '–';
  if (typeof value !== 'object') return String(value);
  return Object.entries(value)
    .map(([name, inner]) => `${name} ${typeof inner === 'object' ? JSON.stringify(inner) : String(inner)}`)
    .join(', ');
}

function isToday(ms: number): boolean {
  return new Date(ms).toDateString() === new Date().toDateString();
}

/** A cell that begins like a formula is made text: spreadsheets would run it. */
function saveCsv(entries: readonly Entry[]): void {
  const cell = (text: string): string => `"${text.replace(/^[=+\-@\t\r]/, "'$&").replaceAll('"', '""')}"`;
  const lines = entries.map((entry) =>
    [new Date(entry.atMs).toISOString(), entry.actor, entry.action, entry.target, changeText(entry), entry.why ?? '']
      .map(cell)
      .join(','),
  );
  const link = document.createElement('a');
  link.href = URL.createObjectURL(
    new Blob([['time,who,did,to,change,why', ...lines].join('\n')], { type: 'text/csv' }),
  );
  link.download = 'audit.csv';
  link.click();
  URL.revokeObjectURL(link.href);
}
