/** An act on everything that matches: the server counts, the person sees the count, and confirms that count. */
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { MatchActReply, MatchCountReply } from '../../../../src/server/index.ts';
import { callApi } from '../../api/call-api.ts';
import { ActDialog } from '../../parts/act-dialog.tsx';
import { formatClock, formatCount } from '../../parts/format-time.ts';
import { useFilterTexts } from './filter-bar.tsx';
import { queryOf, type RunSearch } from './run-search.ts';

export interface BulkDialogProps {
  readonly action: 'cancel' | 'retry';
  readonly search: RunSearch;
  /** Only these; undefined: all that match. */
  readonly ids: readonly number[] | undefined;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** More than these need a reason. */
const freeMax = 20;

export function BulkDialog({ action, search, ids, onDone, onClose }: BulkDialogProps) {
  const { t, i18n } = useTranslation();
  const texts = useFilterTexts();
  // The time of a moving range stands still while the question is open.
  const { data: asked, refetch } = useQuery({
    queryKey: ['match-count', action, search, ids],
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => {
      const { workerId, leaderEpoch, fromMs, toMs, ...rest } = queryOf(search, Date.now());
      const filter = ids ? { ids } : { ...rest, ...numbers({ workerId, leaderEpoch, fromMs, toMs }) };
      const count = await callApi<MatchCountReply>('POST', '/api/v1/run-acts/count', { action, filter });
      return { filter, count };
    },
  });
  const { filter, count } = asked ?? {};
  const applies = count?.applies ?? 0;
  const number = (value: number): string => formatCount(value, i18n.language);
  const act = async (why: string | undefined): Promise<string> => {
    try {
      const reply = await callApi<MatchActReply>('POST', '/api/v1/run-acts', {
        action,
        filter,
        expected: applies,
        ...(why !== undefined && { why }),
      });
      onDone();
      return [
        t(action === 'retry' ? 'runs.retried' : 'runs.canceled', { done: number(reply.done) }),
        reply.leftOut > 0 ? t('runs.leftOut', { count: reply.leftOut }) : '',
        reply.remaining > 0 ? t('runs.remaining', { count: reply.remaining }) : '',
      ].join(' ');
    } catch (error) {
      await refetch();
      throw error;
    }
  };
  const left = (count?.matching ?? 0) - applies;
  return (
    <ActDialog
      title={t(action === 'retry' ? 'runs.retryTitle' : 'runs.cancelTitle', { count: applies })}
      text={t(action === 'retry' ? 'runs.retryText' : 'runs.cancelText')}
      doLabel={t(action === 'retry' ? 'runs.retryDo' : 'runs.cancelDo', { count: applies })}
      dangerous={action === 'cancel'}
      why={applies > freeMax ? 'needed' : 'optional'}
      canDo={applies > 0}
      onDo={act}
      onClose={onClose}
    >
      <dl className="facts-box dl" aria-live="polite">
        <dt>{t('runs.factFilter')}</dt>
        <dd>
          {ids
            ? t('runs.selected', { count: ids.length })
            : texts(search)
                .map(({ key, op, value }) => `${key} ${op} ${value}`)
                .join(' · ') || t('runs.all')}
        </dd>
        <dt>{t('runs.factCounted')}</dt>
        <dd>{count ? formatClock(count.atMs, i18n.language) : t('runs.counting')}</dd>
        <dt>{t('runs.factLeft')}</dt>
        <dd>
          {left > 0
            ? t(action === 'retry' ? 'runs.leftRetry' : 'runs.leftCancel', { count: left })
            : t('runs.leftNone')}
          {count && applies === 0 && <b className="block">{t('runs.nothing')}</b>}
        </dd>
      </dl>
    </ActDialog>
  );
}

function numbers(fields: Readonly<Record<string, string | undefined>>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, text]) => (text === undefined ? [] : [[name, Number(text)]])),
  );
}
