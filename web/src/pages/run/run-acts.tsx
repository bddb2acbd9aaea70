import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { useTranslation } from 'react-i18next';
import { callApi } from '../../api/call-api.ts';
import { mayAct, useSession } from '../../api/use-session.ts';
import { useWorkerNames } from '../../api/use-workers.ts';
import { ActDialog } from '../../parts/act-dialog.tsx';
import { Icon } from '../../parts/icon.tsx';
import { isEnded } from '../runs/run-selection.ts';
import type { Run } from './use-run.ts';

type Act = 'cancel' | 'reassign' | 'retry';

/** What can be done with one run now; what cannot says why. */
export function RunActs({ run }: { readonly run: Run }) {
  const { t } = useTranslation();
  const { data: session } = useSession();
  const [acting, setActing] = useState<Act>();
  const may = mayAct(session, 'operator');
  const ended = isEnded(run.state);
  const reason = (isPossible: boolean, why: string): string | undefined =>
    may ? (isPossible ? undefined : why) : t('act.needs', { role: 'operator' });
  const acts = [
    { act: 'cancel', icon: 'ban', word: 'run.cancel', why: reason(!ended, t('act.ended')) },
    {
      act: 'reassign',
      icon: 'move',
      word: 'run.reassign',
      why: reason(run.state === 'ASSIGNED', ended ? t('act.ended') : t('run.onlyAssigned')),
    },
    { act: 'retry', icon: 'retry', word: 'run.again', why: reason(ended, t('run.notEnded')) },
  ] as const;
  return (
    <div className="push row wrap">
      {acts.map(({ act, icon, word, why }) => (
        <span key={act} title={why}>
          <Button className="btn" isDisabled={why !== undefined} onPress={() => setActing(act)}>
            <Icon name={icon} />
            {t(word)}
          </Button>
        </span>
      ))}
      {acting && <RunActDialog run={run} act={acting} onClose={() => setActing(undefined)} />}
    </div>
  );
}

function RunActDialog({ run, act, onClose }: { readonly run: Run; readonly act: Act; readonly onClose: () => void }) {
  const { t } = useTranslation();
  const names = useWorkerNames();
  const { id, job, workerId } = run;
  const worker = workerId === null ? '–' : (names.get(workerId) ?? `#${workerId}`);
  const onDo = async (why: string | undefined) => {
    const reply = await callApi<{ outcome?: string; runId?: number }>('POST', `/api/v1/runs/${id}/${act}`, {
      ...(why !== undefined && { why }),
    });
    if (act === 'reassign') return t('run.reassigned');
    if (act === 'cancel') return t(reply.outcome === 'requested' ? 'run.requested' : 'run.canceled');
    return (
      <>
        {t('run.retried', { id: reply.runId })}{' '}
        <Link to="/runs/$id" params={{ id: String(reply.runId) }}>
          {t('run.open')}
        </Link>
      </>
    );
  };
  return (
    <ActDialog
      title={t(`run.${act}Title`, { id, job })}
      text={t(`run.${act}Text`, { worker })}
      doLabel={t(`run.${act}Do`)}
      dangerous={act === 'cancel'}
      onDo={onDo}
      onClose={onClose}
    />
  );
}
