/** Why this tab may not write, what is asked of the reader, and what can be done about it. One at a time. */
import { type ReactNode, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AutoSaveSnapshot } from '../../../src/browser/autosave/index.ts';
import { Icon } from '../parts/icon.tsx';
import { TimeBar } from '../parts/time-bar.tsx';
import { formatClock } from './format-figures.ts';
import type { EditedStoryboard } from './use-storyboard.ts';
import { graceMs, type TakeOver } from './use-take-over.ts';

export interface BannerProps {
  readonly edited: EditedStoryboard;
  readonly takeOver: TakeOver;
  readonly onCopy: () => void;
}

export function Banner({ edited, takeOver, onCopy }: BannerProps) {
  const { t, i18n } = useTranslation('editor');
  const { snapshot, isConflict, problem, settle, autosave } = edited;
  const copy = (
    <button type="button" className="btn" onClick={onCopy}>
      {t('readonly.copy')}
    </button>
  );
  if (snapshot.phase === 'readonly') {
    return <ReadOnlyBanner snapshot={snapshot} takeOver={takeOver} copy={copy} />;
  }
  if (isConflict) {
    const time = formatClock(snapshot.unread?.time ?? 0, i18n.language);
    return (
      <Note state="warn" icon="s-warn" title={t('conflict.title', { time })} text={t('conflict.text')}>
        <button type="button" className="btn primary" onClick={() => void settle('mine').catch(() => undefined)}>
          {t('conflict.mine')}
        </button>
        <button type="button" className="btn" onClick={() => void settle('theirs').catch(() => undefined)}>
          {t('conflict.theirs')}
        </button>
      </Note>
    );
  }
  const code = snapshot.error?.code ?? problem?.code;
  if (!code || code === 'readonly' || code === 'unread' || code === 'disabled' || code === 'not-found') return null;
  const text =
    code !== 'data-corrupted'
      ? t(`problem.text_${code}`)
      : problem?.shownTime === undefined
        ? t('problem.text_data-corrupted-none')
        : t('problem.text_data-corrupted', { time: formatClock(problem.shownTime, i18n.language) });
  return (
    <Note state="critical" icon="s-critical" title={t(`problem.title_${code}`)} text={text} isUrgent>
      {snapshot.error?.retryable && (
        <button type="button" className="btn primary" onClick={() => void autosave?.flushNow().catch(() => undefined)}>
          {t('problem.again')}
        </button>
      )}
      {copy}
    </Note>
  );
}

interface ReadOnlyBannerProps {
  readonly snapshot: AutoSaveSnapshot;
  readonly takeOver: TakeOver;
  readonly copy: ReactNode;
}

function ReadOnlyBanner({ snapshot, takeOver, copy }: ReadOnlyBannerProps) {
  const { t, i18n } = useTranslation('editor');
  const reason = snapshot.readonly ?? 'fallback-conflict';
  const s = graceMs / 1000;
  if (takeOver.sinceMs !== undefined) {
    return (
      <Note state="warn" icon="s-jeopardy" title={t('readonly.asking')} text={t('readonly.askingHint', { s })}>
        <GraceBar sinceMs={takeOver.sinceMs} />
      </Note>
    );
  }
  const canTake = reason !== 'fallback-open-failed';
  const isAlone = reason === 'page-cached' || reason === 'lease-expired' || reason === 'renew-failed';
  const text = [
    takeOver.refusal && t(`readonly.${takeOver.refusal}`),
    snapshot.unsaved && t('readonly.kept'),
    reason === 'lease-expired' && t('readonly.nothingLost'),
    reason === 'renew-failed' && t('readonly.storage'),
    reason === 'fallback-open-failed' && t('readonly.private'),
    !snapshot.unsaved &&
      snapshot.saved &&
      ['released', 'stolen', 'lease-stale'].includes(reason) &&
      t('readonly.savedUpTo', { time: formatClock(snapshot.saved.time, i18n.language) }),
    canTake && !isAlone && t('readonly.askFirst', { s }),
  ].filter((sentence) => typeof sentence === 'string');
  return (
    <Note
      state="warn"
      icon="s-jeopardy"
      title={t(`readonly.title_${reason}`)}
      text={text.join(i18n.language === 'ja' ? '' : ' ')}
    >
      {canTake && (
        <button type="button" className="btn primary" onClick={() => void takeOver.start()}>
          {t(isAlone ? 'readonly.again' : 'readonly.takeOver')}
        </button>
      )}
      {copy}
    </Note>
  );
}

/** The bar of the time that the other tab has left. */
function GraceBar({ sinceMs }: { readonly sinceMs: number }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 250);
    return () => clearInterval(timer);
  }, []);
  return <TimeBar share={1 - (now - sinceMs) / graceMs} state="jeopardy" />;
}

interface NoteProps {
  readonly state: 'warn' | 'critical';
  readonly icon: string;
  readonly title: string;
  readonly text: string;
  readonly isUrgent?: boolean;
  readonly children?: ReactNode;
}

function Note({ state, icon, title, text, isUrgent = false, children }: NoteProps) {
  return (
    <div className="ban">
      <div className="note" data-state={state} role={isUrgent ? 'alert' : 'status'}>
        <Icon name={icon} />
        <div>
          <strong>{title}</strong>
          <p>{text}</p>
        </div>
        <div className="acts">{children}</div>
      </div>
    </div>
  );
}
