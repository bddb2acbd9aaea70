import { useState } from 'react';
import { Button } from 'react-aria-components';
import { useTranslation } from 'react-i18next';
import { mayAct, useSession } from '../../api/use-session.ts';
import { formatCount } from '../../parts/format-time.ts';
import { Icon } from '../../parts/icon.tsx';
import { BulkDialog } from './bulk-dialog.tsx';
import type { RunSearch } from './run-search.ts';
import { isEnded, type Selection } from './run-selection.ts';
import type { RunRow } from './use-runs.ts';

export interface BulkBarProps {
  readonly search: RunSearch;
  readonly selection: Selection;
  readonly matching: number;
  readonly rows: readonly RunRow[];
}

/** What can be done with what is selected. An act that applies to none of it is off and says why. */
export function BulkBar({ search, selection, matching, rows }: BulkBarProps) {
  const { t, i18n } = useTranslation();
  const { data: session } = useSession();
  const [acting, setActing] = useState<'cancel' | 'retry'>();
  const { ids, isAll, clear } = selection;
  const chosen = rows.filter(({ id }) => ids.has(id));
  const may = mayAct(session, 'operator');
  const canRetry = isAll || chosen.some(({ state }) => isEnded(state) && state !== 'SUCCEEDED');
  const canCancel = isAll || chosen.some(({ state }) => !isEnded(state));
  const count = formatCount(matching, i18n.language);
  const exportRows = (): void => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([JSON.stringify(chosen, null, 2)], { type: 'application/json' }));
    link.download = 'runs.json';
    link.click();
    URL.revokeObjectURL(link.href);
  };
  return (
    <div className="bulk" role="status">
      <b className="strong">{isAll ? t('runs.selectedAll', { n: count }) : t('runs.selected', { count: ids.size })}</b>
      {!isAll && matching > ids.size && (
        <button type="button" className="linkish" onClick={selection.takeAll}>
          {t('runs.selectAll', { n: count })}
        </button>
      )}
      <span className="push row wrap">
        <Button className="btn sm" isDisabled={!may || !canRetry} onPress={() => setActing('retry')}>
          <Icon name="retry" />
          {t('runs.retry')}
        </Button>
        <Button className="btn sm" isDisabled={!may || !canCancel} onPress={() => setActing('cancel')}>
          <Icon name="ban" />
          {t('runs.cancel')}
        </Button>
        <Button className="btn sm" isDisabled={isAll} onPress={exportRows}>
          <Icon name="copy" />
          {t('runs.export')}
        </Button>
        <Button className="btn sm ghost" aria-label={t('runs.clear')} onPress={clear}>
          <Icon name="x" />
        </Button>
      </span>
      {!may && <span className="mute xs">{t('act.needs', { role: 'operator' })}</span>}
      {acting && (
        <BulkDialog
          action={acting}
          search={search}
          ids={isAll ? undefined : [...ids].slice(0, 1_000)}
          onDone={clear}
          onClose={() => setActing(undefined)}
        />
      )}
    </div>
  );
}
