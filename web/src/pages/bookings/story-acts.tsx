/** What a person of the house may do with a reservation: each says what it will do before it is done. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { StoryReply } from '../../../../src/server/index.ts';
import { callApi } from '../../api/call-api.ts';
import { mayAct, useSession } from '../../api/use-session.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Icon } from '../../parts/icon.tsx';

type Act = 'cancel' | 'fix' | 'mail' | 'refund';

export function StoryActs({
  story,
  money,
}: {
  readonly story: StoryReply['story'];
  readonly money: (amount: number) => string;
}) {
  const { t } = useTranslation('bookings');
  const { data: session } = useSession();
  const queries = useQueryClient();
  const [asked, setAsked] = useState<Act>();
  const [url, setUrl] = useState('');
  const { reservation: r, refunds, mails } = story;
  const mail = mails.findLast(({ state }) => state === 'sent' || state === 'refused');
  const parked = refunds.find(({ state }) => state === 'manual');
  const act = useMutation({
    mutationFn: (what: Act) => {
      if (what === 'cancel') return callApi('POST', `/api/v1/reservations/${r.id}/cancel`, {});
      if (what === 'refund') return callApi('POST', `/api/v1/payments/${parked?.paymentId}/refund`, {});
      if (what === 'mail') return callApi('POST', `/api/v1/notifications/${mail?.id}/again`, {});
      return callApi('POST', `/api/v1/videos/${r.videoId}/fixed`, url === '' ? {} : { renderUrl: url });
    },
    onSuccess: () => setAsked(undefined),
    onSettled: () => queries.invalidateQueries({ queryKey: ['reservations'] }),
  });
  const may = mayAct(session, 'operator');
  const isPaid = r.status === 'confirmed';
  const acts: readonly { readonly act: Act; readonly word: string; readonly icon?: string }[] = [
    ...(r.problem === 'render-failed' ? [{ act: 'fix', word: t('act.fix') } as const] : []),
    ...(parked ? [{ act: 'refund', word: t('act.refund') } as const] : []),
    ...(['hold', 'payment_pending', 'confirmed'].includes(r.status) && !r.begun
      ? [{ act: 'cancel', word: t('act.cancel') } as const]
      : []),
    ...(mail ? [{ act: 'mail', word: t('act.mail'), icon: 'mail' } as const] : []),
  ];
  const amount = money(parked?.amount ?? r.amount);
  const words: Readonly<Record<Act, { title: string; text: string; doLabel: string; keepLabel: string }>> = {
    cancel: {
      title: t('act.cancelTitle', { name: r.customerName }),
      text: isPaid ? t('act.cancelPaid', { amount }) : t('act.cancelUnpaid'),
      doLabel: t('act.cancelDo'),
      keepLabel: t('act.keep'),
    },
    fix: {
      title: t('act.fixTitle', { title: r.title }),
      text: t('act.fixText'),
      doLabel: t('act.fixDo'),
      keepLabel: t('act.fixKeep'),
    },
    mail: {
      title: t('act.mailTitle', { subject: mail?.subject ?? '' }),
      text: t('act.mailText', { name: r.customerName, to: r.email }),
      doLabel: t('act.mailDo'),
      keepLabel: t('act.mailKeep'),
    },
    refund: {
      title: t('act.refundTitle', { amount }),
      text: t('act.refundText'),
      doLabel: t('act.refundDo'),
      keepLabel: t('act.refundKeep'),
    },
  };
  return (
    <div className="push row">
      {acts.map(({ act: name, word, icon }) => (
        <button
          key={name}
          type="button"
          className="btn"
          disabled={!may}
          title={may ? undefined : t('act.needsRole')}
          onClick={() => {
            act.reset();
            setAsked(name);
          }}
        >
          {icon && <Icon name={icon} />}
          {word}
        </button>
      ))}
      <ConfirmDialog
        isOpen={asked !== undefined}
        onClose={() => setAsked(undefined)}
        {...words[asked ?? 'cancel']}
        dangerous={asked === 'cancel'}
        busy={act.isPending}
        problem={act.error}
        onDo={() => asked && act.mutate(asked)}
      >
        {asked === 'fix' && (
          <div className="field">
            <label htmlFor="fix-url">{t('act.fixUrl')}</label>
            <input
              className="input"
              id="fix-url"
              type="url"
              value={url}
              maxLength={2_000}
              onChange={({ target }) => setUrl(target.value)}
            />
          </div>
        )}
      </ConfirmDialog>
    </div>
  );
}
