import { useNavigate, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../parts/icon.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { useNow } from '../../parts/use-now.ts';
import { LeaseDetail } from './lease-detail.tsx';
import { LeaseTable } from './lease-table.tsx';
import { timeLeft, useLeases } from './use-leases.ts';

/** Who holds what, for how long; problems first. */
export function LeasesPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { prefix = '', key } = useSearch({ from: '/shell/leases' });
  const { data = [], error, refetch, isPending } = useLeases(prefix);
  const nowMs = useNow();
  const jeopardy = data.filter((row) => timeLeft(row, nowMs).state !== 'held').length;
  const chosen = data.find((row) => row.key === key);
  const show = (next: { readonly prefix?: string; readonly key?: string }): void => {
    void navigate({ to: '/leases', search: next, replace: true });
  };
  return (
    <>
      <div className="page-h">
        <h1>{t('leases.title')}</h1>
        <span className="sub">
          {t('leases.summary', {
            held: data.length,
            waited: data.filter(({ waiting }) => waiting > 0).length,
            jeopardy,
          })}
        </span>
      </div>
      <search className="filters" aria-label={t('leases.filter')}>
        <Icon name="filter" />
        <input
          aria-label={t('leases.filterPlaceholder')}
          placeholder={t('leases.filterPlaceholder')}
          value={prefix}
          maxLength={512}
          onChange={({ target }) => show({ ...(target.value !== '' && { prefix: target.value }) })}
        />
      </search>
      {error && <ProblemNote error={error} onAgain={() => void refetch()} />}
      <div className="lz after-filters">
        <LeaseTable
          rows={data}
          nowMs={nowMs}
          chosen={key}
          prefix={prefix}
          isLoading={isPending}
          onChoose={(wanted) => show({ ...(prefix !== '' && { prefix }), key: wanted })}
          onDropFilter={() => show({})}
        />
        <LeaseDetail key={chosen?.key ?? ''} lease={chosen} nowMs={nowMs} />
      </div>
    </>
  );
}
