import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { JobReply, PutJobBody } from '../../../../src/server/index.ts';
import { callApi } from '../../api/call-api.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { useToast } from '../../shell/toasts.tsx';
import { draftOf, ScheduleFields, scheduleOf } from './schedule-fields.tsx';
import type { Job } from './use-jobs.ts';

export interface JobFormProps {
  /** Undefined: a new one. */
  readonly job: Job | undefined;
  readonly onClose: () => void;
}

type TargetKind = 'code' | 'command' | 'http';

/** Everything of a job that needs no code. What the form does not show stays as it was. */
export function JobForm({ job, onClose }: JobFormProps) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const say = useToast();
  const id = useId();
  const [name, setName] = useState(job?.name ?? '');
  const [draft, setDraft] = useState(() => draftOf(job?.schedule ?? null));
  const [targetKind, setTargetKind] = useState<TargetKind>(job ? (job.target?.kind ?? 'code') : 'command');
  const [command, setCommand] = useState(job?.target?.kind === 'command' ? job.target.command.join('\n') : '');
  const [url, setUrl] = useState(job?.target?.kind === 'http' ? job.target.url : '');
  const [retries, setRetries] = useState(String(job?.maxRetries ?? 3));
  const [timeout, setTimeoutText] = useState(String(job?.timeoutSeconds ?? 3_600));
  const schedule = scheduleOf(draft, job?.schedule ?? null);
  const target = targetOf();
  function targetOf(): PutJobBody['target'] {
    if (targetKind === 'command') {
      const known = job?.target?.kind === 'command' ? job.target : {};
      return { ...known, kind: 'command', command: command.split('\n').filter((part) => part !== '') };
    }
    const known = job?.target?.kind === 'http' ? job.target : {};
    return targetKind === 'http' ? { ...known, kind: 'http', url } : undefined;
  }
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      callApi<JobReply>('PUT', `/api/v1/jobs/${encodeURIComponent(name.trim())}`, {
        ...(job && kept(job)),
        ...(target && { target }),
        ...(schedule && { schedule }),
        maxRetries: Number(retries),
        timeoutSeconds: Number(timeout),
      } satisfies PutJobBody),
    onSuccess: async () => {
      say(t('jobs.saved', { job: name.trim() }));
      onClose();
      await queries.invalidateQueries();
    },
  });
  const isTargetSound = targetKind === 'code' || (targetKind === 'command' ? command.trim() !== '' : url.trim() !== '');
  const areNumbers = [retries, timeout].every((text) => text.trim() !== '' && Number.isFinite(Number(text)));
  return (
    <ConfirmDialog
      isOpen
      wide
      onClose={onClose}
      title={job ? t('jobs.formEdit', { job: job.name }) : t('jobs.formNew')}
      text={t('jobs.codeNote')}
      keepLabel={t('act.keep')}
      doLabel={t('jobs.save')}
      canDo={name.trim() !== '' && isTargetSound && areNumbers}
      busy={isPending}
      problem={error}
      onDo={() => mutate()}
    >
      {!job && (
        <div className="field">
          <label htmlFor={`${id}-name`}>{t('jobs.fieldName')}</label>
          <input id={`${id}-name`} maxLength={200} value={name} onChange={({ target: at }) => setName(at.value)} />
        </div>
      )}
      <ScheduleFields draft={draft} schedule={schedule} onChange={setDraft} />
      <div className="field">
        <label htmlFor={`${id}-target`}>{t('jobs.fieldTarget')}</label>
        <select
          id={`${id}-target`}
          className="input"
          value={targetKind}
          onChange={({ target: at }) => setTargetKind(at.value as TargetKind)}
        >
          {(['code', 'command', 'http'] as const).map((kind) => (
            <option key={kind} value={kind}>
              {t(`jobs.target_${kind}`)}
            </option>
          ))}
        </select>
      </div>
      {targetKind === 'command' && (
        <div className="field">
          <label htmlFor={`${id}-command`}>{t('jobs.fieldCommand')}</label>
          <textarea
            id={`${id}-command`}
            className="input mono"
            rows={3}
            spellCheck={false}
            value={command}
            onChange={({ target: at }) => setCommand(at.value)}
          />
        </div>
      )}
      {targetKind === 'http' && (
        <div className="field">
          <label htmlFor={`${id}-url`}>{t('jobs.fieldUrl')}</label>
          <input id={`${id}-url`} maxLength={4_096} value={url} onChange={({ target: at }) => setUrl(at.value)} />
        </div>
      )}
      <div className="two">
        <div className="field">
          <label htmlFor={`${id}-retries`}>{t('jobs.fieldRetries')}</label>
          <input
            id={`${id}-retries`}
            inputMode="numeric"
            value={retries}
            onChange={({ target: at }) => setRetries(at.value)}
          />
        </div>
        <div className="field">
          <label htmlFor={`${id}-timeout`}>{t('jobs.fieldTimeout')}</label>
          <input
            id={`${id}-timeout`}
            inputMode="decimal"
            value={timeout}
            onChange={({ target: at }) => setTimeoutText(at.value)}
          />
        </div>
      </div>
    </ConfirmDialog>
  );
}

function kept(job: Job): PutJobBody {
  const { queue, concurrency, priority, event, schedulePayload, catchUp, skipLateAfterSeconds } = job;
  const { rateLimit, ratePeriodSeconds } = job;
  return {
    queue,
    concurrency,
    priority,
    catchUp,
    ...(event !== null && { on: event }),
    ...(schedulePayload !== null && { schedulePayload }),
    ...(skipLateAfterSeconds !== null && { skipLateAfterSeconds }),
    ...(rateLimit !== null &&
      ratePeriodSeconds !== null && { rateLimit: { limit: rateLimit, periodSeconds: ratePeriodSeconds } }),
  };
}
