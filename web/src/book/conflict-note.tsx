import { useTranslation } from 'react-i18next';
import { ApiProblem } from '../api/api-problem.ts';
import { Note } from './note.tsx';
import { isUnknown } from './use-hold.ts';

export interface ConflictNoteProps {
  readonly error: Error;
  /** The time that was asked for, such as “19:00”. */
  readonly time: string;
  /** Times that are free on the same day. */
  readonly free: readonly string[];
}

/** Every way in which a time could not be kept, in one clear sentence, with what is possible instead. */
export function ConflictNote({ error, time, free }: ConflictNoteProps) {
  const { t } = useTranslation('book');
  const shown = free.slice(0, 3);
  const last = shown.at(-1) ?? '';
  const list = shown.length < 2 ? last : t('and', { list: shown.slice(0, -1).join(t('comma')), last });
  const code = error instanceof ApiProblem ? error.code : '';
  const suffix = free.length > 0 ? 'text' : 'textNone';
  if (code === 'SLOT_ALREADY_TAKEN') {
    return (
      <Note state="warn" said title={t('slotTaken.title', { time })} text={t(`slotTaken.${suffix}`, { free: list })} />
    );
  }
  if (code === 'SLOT_SETTLING') {
    const text = t(`slotSettling.${suffix}`, { s: (error as ApiProblem).retryAfterSeconds ?? 10, free: list });
    return <Note state="warn" said title={t('slotSettling.title')} text={text} />;
  }
  if (code === 'SLOT_NOT_OFFERED') {
    return <Note state="warn" said title={t('slotGone.title')} text={t('slotGone.text')} />;
  }
  if (isUnknown(error)) return <Note state="warn" said title={t('unknown.title')} text={t('unknown.text')} />;
  return <Note state="critical" said title={t('refused.title')} text={error.message} />;
}
