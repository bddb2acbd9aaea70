import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { Phase } from '../../../../src/core/rollout/phase.ts';
import type { FlagsReply } from '../../../../src/server/index.ts';
import { callApi } from '../../api/call-api.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { formatPercent } from '../../parts/format-time.ts';

/** What was on the screen when the question was asked. The page goes on; the question must not. */
export interface Asked {
  readonly rollout: FlagsReply['rollout'];
  readonly action: 'promote' | 'rollback';
  readonly to: Phase;
}

export interface ChangeDialogProps {
  readonly asked: Asked;
  readonly onClose: () => void;
}

/** The change names the version that was asked about: somebody else's change in between is told, not overwritten. */
export function ChangeDialog({ asked, onClose }: ChangeDialogProps) {
  const { rollout, action, to } = asked;
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => callApi<FlagsReply>('POST', '/api/v1/flags', { action, version: rollout.version }),
    onSuccess: (reply) => {
      queries.setQueryData(['flags'], reply);
      onClose();
    },
    onSettled: () => queries.invalidateQueries(),
  });
  const { phase: from, settings } = rollout;
  const figures = { from, to, before: formatPercent(settings.shares[from]), after: formatPercent(settings.shares[to]) };
  const promotes = action === 'promote';
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={t(promotes ? 'rollout.promoteTitle' : 'rollout.backTitle', figures)}
      text={t(promotes ? 'rollout.promoteText' : 'rollout.backText', figures)}
      keepLabel={t('rollout.keep', { phase: from })}
      doLabel={t(promotes ? 'rollout.doPromote' : 'rollout.doBack', { phase: to })}
      busy={isPending}
      problem={error}
      onDo={() => mutate()}
    />
  );
}
