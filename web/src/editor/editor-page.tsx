import { useCallback, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ProjectLock } from '../../../src/browser/project-lock/index.ts';
import { changeTheme } from '../parts/change-theme.ts';
import { Icon } from '../parts/icon.tsx';
import { Mark } from '../parts/mark.tsx';
import { changeLanguage } from '../words/change-language.ts';
import { Banner } from './banner.tsx';
import { downloadCopy } from './download-copy.ts';
import { exampleStoryboard } from './example-storyboard.ts';
import { HistoryDrawer } from './history-drawer.tsx';
import type { RolloutFlag } from './rollout-flag.ts';
import { SaveStatus } from './save-status.tsx';
import { SceneList } from './scene-list.tsx';
import { ScenePaper } from './scene-paper.tsx';
import { addScene, blankScene, isBlank } from './storyboard.ts';
import { useStoryboard } from './use-storyboard.ts';
import { useTakeOver } from './use-take-over.ts';

export interface EditorPageProps {
  readonly lock: ProjectLock;
  readonly flag: RolloutFlag;
}

export function EditorPage({ lock, flag }: EditorPageProps) {
  const { t, i18n } = useTranslation('editor');
  const edited = useStoryboard(lock, flag.autosave);
  const takeOver = useTakeOver(lock);
  const [picked, setPicked] = useState('');
  const [isHistoryOpen, setHistoryOpen] = useState(false);
  const [sentence, say] = useState('');
  const historyButton = useRef<HTMLButtonElement>(null);
  const { board, canWrite, isOpen, autosave, edit } = edited;
  const scene = board.scenes.find(({ id }) => id === picked) ?? board.scenes[0];
  const name = board.title || t('untitled');
  const closeHistory = useCallback(() => {
    setHistoryOpen(false);
    historyButton.current?.focus();
  }, []);

  useEffect(() => {
    document.title = t('title', { name });
  }, [t, name]);
  useEffect(() => {
    if (takeOver.took) say(t(`readonly.took_${takeOver.took}`));
  }, [takeOver.took, t]);
  useSaveKey(() => void autosave?.flushNow().catch(() => undefined));

  const add = (): void => {
    const added = blankScene(crypto.randomUUID());
    edit((now) => addScene(now, scene.id, added));
    setPicked(added.id);
  };
  return (
    <>
      <a className="skip" href="#scene-text">
        {t('skip')}
      </a>
      <div className="ed" data-history={isHistoryOpen || undefined}>
        <header className="top">
          <a className="brand" href="/" aria-label="Kannuki">
            <Mark />
          </a>
          <div className="crumbs">
            <span className="no-s">{t('storyboards')}</span>
            <span className="no-s row">
              <Icon name="right" small />
            </span>
            <b>{name}</b>
          </div>
          <span className="push row">
            <button
              type="button"
              className="btn ghost"
              aria-expanded={isHistoryOpen}
              ref={historyButton}
              onClick={() => setHistoryOpen((open) => !open)}
            >
              <Icon name="history" />
              {t('history.title')}
            </button>
            <button type="button" className="btn icon ghost" aria-label={t('theme')} onClick={changeTheme}>
              <Icon name="sun" />
            </button>
            <button
              type="button"
              className="btn ghost lang"
              lang={t('otherLanguageCode')}
              onClick={() => void changeLanguage(t('otherLanguageCode'))}
            >
              {t('otherLanguage')}
            </button>
          </span>
        </header>
        <Banner edited={edited} takeOver={takeOver} onCopy={() => downloadCopy(board)} />
        <SceneList board={board} current={scene.id} canWrite={canWrite} onPick={setPicked} onAdd={add} />
        <main className="doc">
          {isOpen ? (
            <ScenePaper board={board} savedBoard={edited.savedBoard} scene={scene} canWrite={canWrite} edit={edit}>
              {canWrite && isBlank(board) && (
                <div className="begin">
                  <h2>{t('board.emptyTitle')}</h2>
                  <p>{t('board.emptyHint')}</p>
                  <button type="button" className="btn" onClick={() => edit(() => exampleStoryboard(i18n.language))}>
                    {t('board.example')}
                  </button>
                </div>
              )}
            </ScenePaper>
          ) : (
            <article className="paper" aria-busy="true">
              <h1 className="sr">{t('opening')}</h1>
              <span className="skel" />
            </article>
          )}
        </main>
        {isHistoryOpen && <HistoryDrawer edited={edited} onClose={closeHistory} say={say} />}
        <SaveStatus edited={edited} lock={lock} flag={flag} />
      </div>
      <output className="sr">{sentence}</output>
    </>
  );
}

/** Ctrl or ⌘ with S saves; the browser's own dialog would save a page nobody can open. */
function useSaveKey(save: () => void): void {
  const latest = useRef(save);
  useEffect(() => {
    latest.current = save;
  }, [save]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      latest.current();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}
