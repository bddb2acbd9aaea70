import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { callApi } from '../../api/call-api.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { holderName, type LeaseRow } from './use-leases.ts';

export interface BreakDialogProps {
  readonly lease: LeaseRow;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** What came of it, in one sentence. */
  readonly onDone: (said: string) => void;
}

/** Not undoable, so the key is typed again. */
export function BreakDialog({ lease, isOpen, onClose, onDone }: BreakDialogProps) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [reason, setReason] = useState('');
  const [typed, setTyped] = useState('');
  const id = useId();
  const holder = holderName(lease.owner);
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      callApi<{ broken: boolean }>('POST', '/api/v1/leases/break', { key: lease.key, reason: reason.trim() }),
    onSuccess: async ({ broken }) => {
      onDone(broken ? t('leases.broken', { holder }) : t('leases.notHeld'));
      onClose();
      await queries.invalidateQueries({ queryKey: ['leases'] });
    },
  });
  return (
    <ConfirmDialog
      dangerous
      isOpen={isOpen}
      onClose={onClose}
      title={t('leases.breakTitle', { key: lease.key })}
      text={t('leases.breakText', { holder, token: lease.token })}
      keepLabel={t('leases.breakKeep')}
      doLabel={t('leases.breakDo')}
      canDo={reason.trim() !== '' && typed === lease.key}
      busy={isPending}
      problem={error}
      onDo={() => mutate()}
    >
      <div className="field">
        <label htmlFor={`${id}-reason`}>{t('leases.breakReason')}</label>
        <input id={`${id}-reason`} maxLength={500} value={reason} onChange={(event) => setReason(event.target.value)} />
      </div>
      <div className="field">
        <label htmlFor={`${id}-key`}>{t('leases.breakType')}</label>
        <input id={`${id}-key`} autoComplete="off" value={typed} onChange={(event) => setTyped(event.target.value)} />
      </div>
    </ConfirmDialog>
  );
}
