/** A question, its facts, a reason, and the act itself with what came of it. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiProblem } from '../api/api-problem.ts';
import { useToast } from '../shell/toasts.tsx';
import { ConfirmDialog } from './confirm-dialog.tsx';

export interface ActDialogProps {
  readonly title: string;
  readonly text: string;
  readonly doLabel: string;
  /** @default 'optional' */
  readonly why?: 'optional' | 'needed' | 'none';
  readonly dangerous?: boolean;
  readonly canDo?: boolean;
  /** What came of it, told in a toast. */
  readonly onDo: (why: string | undefined) => Promise<ReactNode>;
  readonly onClose: () => void;
  readonly children?: ReactNode;
}

export function ActDialog(props: ActDialogProps) {
  const { title, text, doLabel, why = 'optional', dangerous = false, canDo = true, onDo, onClose, children } = props;
  const { t } = useTranslation();
  const queries = useQueryClient();
  const say = useToast();
  const [reason, setReason] = useState('');
  const id = useId();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => onDo(reason.trim() === '' ? undefined : reason.trim()),
    onSuccess: async (said) => {
      say(said);
      onClose();
      await queries.invalidateQueries();
    },
  });
  const problem =
    error instanceof ApiProblem && error.status === 0 ? new Error(t('act.unknown'), { cause: error }) : error;
  return (
    <ConfirmDialog
      isOpen
      dangerous={dangerous}
      onClose={onClose}
      title={title}
      text={text}
      keepLabel={t('act.keep')}
      doLabel={doLabel}
      canDo={canDo && (why !== 'needed' || reason.trim() !== '')}
      busy={isPending}
      problem={problem}
      onDo={() => mutate()}
    >
      {children}
      {why !== 'none' && (
        <div className="field">
          <label htmlFor={id}>{t(why === 'needed' ? 'act.whyNeeded' : 'act.why')}</label>
          <input id={id} maxLength={500} value={reason} onChange={({ target }) => setReason(target.value)} />
        </div>
      )}
    </ConfirmDialog>
  );
}
