import { Link } from '@tanstack/react-router';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { callApi } from '../../api/call-api.ts';
import { ActDialog } from '../../parts/act-dialog.tsx';
import { useJobs } from './use-jobs.ts';

export interface RunNowDialogProps {
  /** Undefined: the dialog asks which. */
  readonly job?: string;
  readonly onClose: () => void;
}

/** A run at once, with a payload that is checked before it is sent. */
export function RunNowDialog({ job, onClose }: RunNowDialogProps) {
  const { t } = useTranslation();
  const { data: jobs = [] } = useJobs();
  const id = useId();
  const [chosen, setChosen] = useState(job ?? '');
  const [text, setText] = useState('');
  const name = chosen || jobs[0]?.name || '';
  const parsed = parse(text);
  const onDo = async () => {
    const body = parsed.ok && text.trim() !== '' ? { payload: parsed.value } : {};
    const { runId } = await callApi<{ runId: number }>('POST', `/api/v1/jobs/${encodeURIComponent(name)}/runs`, body);
    return (
      <>
        {t('jobs.runMade', { id: runId })}{' '}
        <Link to="/runs/$id" params={{ id: String(runId) }}>
          {t('run.open')}
        </Link>
      </>
    );
  };
  return (
    <ActDialog
      title={t('jobs.runTitle', { job: name })}
      text={t('jobs.runText')}
      doLabel={t('jobs.runDo')}
      why="none"
      canDo={parsed.ok && name !== ''}
      onDo={onDo}
      onClose={onClose}
    >
      {job === undefined && (
        <div className="field">
          <label htmlFor={`${id}-job`}>{t('jobs.chooseJob')}</label>
          <select id={`${id}-job`} className="input" value={name} onChange={({ target }) => setChosen(target.value)}>
            {jobs.map((one) => (
              <option key={one.name}>{one.name}</option>
            ))}
          </select>
        </div>
      )}
      <div className="field">
        <label htmlFor={`${id}-payload`}>{t('jobs.runPayload')}</label>
        <textarea
          id={`${id}-payload`}
          className="input mono"
          rows={6}
          spellCheck={false}
          aria-invalid={!parsed.ok}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        {!parsed.ok && (
          <p className="fg xs" data-state="failed" role="alert">
            {t('jobs.runBad', { why: parsed.why })}
          </p>
        )}
      </div>
    </ActDialog>
  );
}

type Parsed = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly why: string };

function parse(text: string): Parsed {
  if (text.trim() === '') return { ok: true, value: undefined };
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    return { ok: false, why: error instanceof Error ? error.message : String(error) };
  }
}
