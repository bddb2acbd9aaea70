/** The status bar of the editor: who writes, what is saved, under which right. */
import { useEffect, useState, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import type { AutoSaveSnapshot } from '../../../src/browser/autosave/index.ts';
import type { ProjectLock } from '../../../src/browser/project-lock/index.ts';
import { Icon } from '../parts/icon.tsx';
import { useNow } from '../parts/use-now.ts';
import { countCharacters, countNewSentences, countWords } from './compare-texts.ts';
import { formatClock, formatSize, formatToken } from './format-figures.ts';
import { rememberToken } from './own-tokens.ts';
import { chooseRolloutFlag, type RolloutFlag } from './rollout-flag.ts';
import { storyboardText } from './storyboard.ts';
import type { EditedStoryboard } from './use-storyboard.ts';

/** AutoSave's own default. */
export const maxGenerations = 20;

export interface SaveStatusProps {
  readonly edited: EditedStoryboard;
  readonly lock: ProjectLock;
  readonly flag: RolloutFlag;
}

export function SaveStatus({ edited, lock, flag }: SaveStatusProps) {
  const { t, i18n } = useTranslation('editor');
  const { snapshot, board, autosave } = edited;
  const { lease } = useSyncExternalStore(lock.subscribe, lock.snapshot);
  const now = useNow();
  const isOnline = useOnline();
  const token = lease?.token;
  useEffect(() => {
    if (token !== undefined) rememberToken(token);
  }, [token]);
  const text = storyboardText(board);
  const { phase, elsewhere } = snapshot;
  const { generations, bytes } = useKept(edited);
  return (
    <section className="status" aria-label={t('status.label')}>
      <Mode phase={phase} />
      <SavedText edited={edited} />
      {!flag.autosave && phase !== 'readonly' && (
        <button
          type="button"
          disabled={!snapshot.unsaved}
          onClick={() => void autosave?.flushNow().catch(() => undefined)}
        >
          <b>{t('status.save')}</b>
        </button>
      )}
      {lease && phase !== 'readonly' && (
        <>
          <span className="no-s" title={String(lease.token)}>
            {t('status.token', { token: formatToken(lease.token) })}
          </span>
          <span className="no-s">
            {t('status.renewed', { s: Math.max(0, Math.round((lease.expiresAt - now) / 1000)) })}
          </span>
        </>
      )}
      {phase === 'readonly' && elsewhere && (
        <span className="no-s">{t('status.elsewhere', { token: formatToken(elsewhere.token) })}</span>
      )}
      {!isOnline && (
        <span>
          <Icon name="cloudoff" small />
          {t('status.offline')}
        </span>
      )}
      <span className="push no-s">
        {t('status.versions', { n: generations, all: maxGenerations, size: formatSize(bytes) })}
      </span>
      <FlagText flag={flag} onChoose={() => autosave?.flushNow()} />
      {lease && <span className="no-s">{t(`status.strategy_${lease.strategy}`)}</span>}
      <span className="no-s">
        {t('status.words', { count: i18n.language === 'ja' ? countCharacters(text) : countWords(text) })}
      </span>
    </section>
  );
}

/** How much is kept. A tab that only reads looks for itself. */
function useKept({ autosave, snapshot, isOpen }: EditedStoryboard): Pick<AutoSaveSnapshot, 'generations' | 'bytes'> {
  const [found, setFound] = useState({ generations: 0, bytes: 0 });
  const news = snapshot.phase === 'readonly' && isOpen ? (snapshot.elsewhere?.time ?? 0) : undefined;
  useEffect(() => {
    if (news === undefined) return;
    autosave
      ?.listHistory()
      .then((all) => setFound({ generations: all.length, bytes: all.reduce((sum, { bytes }) => sum + bytes, 0) }))
      .catch(() => undefined);
  }, [autosave, news]);
  return news === undefined ? snapshot : found;
}

function Mode({ phase }: { readonly phase: string }) {
  const { t } = useTranslation('editor');
  if (phase === 'readonly') {
    return (
      <span className="mode" data-state="warn">
        <Icon name="s-jeopardy" small />
        {t('mode.readonly')}
      </span>
    );
  }
  if (phase === 'awaiting-lock' || phase === 'disabled') {
    return (
      <span className="mode" data-state="pending">
        <Icon name="s-pending" small />
        {t('mode.opening')}
      </span>
    );
  }
  if (phase === 'error') {
    return (
      <span className="mode" data-state="critical">
        <Icon name="s-critical" small />
        {t('mode.problem')}
      </span>
    );
  }
  return (
    <span className="mode" data-state="held">
      <Icon name="s-held" small />
      {t('mode.writing')}
    </span>
  );
}

/** Saved, saving, not saved yet, and why. Spoken when it changes. */
function SavedText({ edited }: { readonly edited: EditedStoryboard }) {
  const { t, i18n } = useTranslation('editor');
  const { snapshot, board, savedBoard } = edited;
  const { phase, unsaved, saved } = snapshot;
  const [icon, text] = (() => {
    if (phase === 'awaiting-lock' || phase === 'disabled') return ['s-pending', t('status.asking')] as const;
    if (phase === 'readonly' && unsaved) {
      const count = countNewSentences(storyboardText(board), storyboardText(savedBoard));
      return ['s-warn', count > 0 ? t('status.sentences', { count }) : t('status.someUnsaved')] as const;
    }
    if (phase === 'readonly') return ['s-succeeded', t('status.allSaved')] as const;
    if (['writing-current', 'updating-index', 'gc'].includes(phase)) return ['s-running', t('status.saving')] as const;
    if (unsaved || phase === 'error') return ['s-warn', t('status.unsaved')] as const;
    if (saved) return ['s-succeeded', t('status.saved', { time: formatClock(saved.time, i18n.language) })] as const;
    return ['s-pending', t('status.nothing')] as const;
  })();
  return (
    <span role="status">
      <Icon name={icon} small />
      {text}
    </span>
  );
}

/** Whether it saves by itself, by whose choice, and the other choice. */
function FlagText({ flag, onChoose }: { readonly flag: RolloutFlag; readonly onChoose: () => unknown }) {
  const { t } = useTranslation('editor');
  const choose = async (on: boolean | undefined): Promise<void> => {
    // The page begins anew, so what is unsaved is saved first; what cannot be is asked about by the browser.
    await Promise.resolve(onChoose()).catch(() => undefined);
    chooseRolloutFlag(on);
    location.reload();
  };
  return (
    <>
      <span className="no-s">{t(flag.autosave ? 'status.automatic' : 'status.manual', { phase: flag.phase })}</span>
      {(flag.isLocal || !flag.autosave) && (
        <button type="button" onClick={() => void choose(flag.isLocal ? undefined : true)}>
          {t(flag.isLocal ? 'status.followServer' : 'status.turnOn')}
        </button>
      )}
    </>
  );
}

function useOnline(): boolean {
  return useSyncExternalStore(
    (onChange) => {
      addEventListener('online', onChange);
      addEventListener('offline', onChange);
      return () => {
        removeEventListener('online', onChange);
        removeEventListener('offline', onChange);
      };
    },
    () => navigator.onLine,
  );
}
