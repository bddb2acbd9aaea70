/** The paper in the middle: one scene, to write; or, while this tab may not write, to read. */
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { Icon } from '../parts/icon.tsx';
import { markNewParagraphs } from './compare-texts.ts';
import { ScenePicture } from './scene-list.tsx';
import {
  changeScene,
  longestSceneSeconds,
  moveScene,
  pictures,
  readSeconds,
  removeScene,
  type Scene,
  type Storyboard,
} from './storyboard.ts';

export interface ScenePaperProps {
  readonly board: Storyboard;
  readonly savedBoard: Storyboard;
  readonly scene: Scene;
  readonly canWrite: boolean;
  readonly edit: (change: (board: Storyboard) => Storyboard) => void;
  readonly children?: ReactNode;
}

export function ScenePaper(props: ScenePaperProps) {
  return props.canWrite ? <WritablePaper {...props} /> : <ReadOnlyPaper {...props} />;
}

function WritablePaper({ board, scene, edit, children }: ScenePaperProps) {
  const { t } = useTranslation('editor');
  const [isRemoving, setRemoving] = useState(false);
  const change = (part: Partial<Scene>): void => edit((now) => changeScene(now, scene.id, part));
  const at = board.scenes.indexOf(scene);
  return (
    <article className="paper">
      <h1 className="sr">{board.title || t('untitled')}</h1>
      <input
        className="plain title"
        aria-label={t('board.title')}
        placeholder={t('board.titlePlaceholder')}
        value={board.title}
        onChange={({ target }) => edit((now) => ({ ...now, title: target.value }))}
      />
      <div className="mt">
        <span>{t('board.place', { n: at + 1, all: board.scenes.length })}</span>
        <input
          className="plain name"
          aria-label={t('scene.title')}
          placeholder={t('scene.title')}
          value={scene.title}
          onChange={({ target }) => change({ title: target.value })}
        />
        <span aria-hidden="true">{t('board.between')}</span>
        <input
          className="plain seconds"
          type="number"
          min={0}
          max={longestSceneSeconds}
          aria-label={t('scene.seconds')}
          value={scene.seconds}
          onChange={({ target }) => change({ seconds: readSeconds(target.value) })}
        />
        <span aria-hidden="true">{t('board.s')}</span>
      </div>
      {scene.picture !== 'none' && <ScenePicture scene={scene} />}
      {children}
      <label className="cue">
        <span>{t('scene.sound')}</span>
        <input
          className="plain"
          placeholder={t('scene.soundPlaceholder')}
          value={scene.sound}
          onChange={({ target }) => change({ sound: target.value })}
        />
      </label>
      {/* The wrapper repeats the text unseen, so that the field is as high as what is in it. */}
      <div className="grow" data-text={`${scene.text}\n`}>
        <textarea
          className="plain"
          id="scene-text"
          aria-label={t('scene.text')}
          placeholder={t('scene.textPlaceholder')}
          value={scene.text}
          onChange={({ target }) => change({ text: target.value })}
        />
      </div>
      <fieldset className="tools">
        <legend className="sr">{t('scenes.tools')}</legend>
        <select
          className="input"
          aria-label={t('scene.picture')}
          value={scene.picture}
          onChange={({ target }) => change({ picture: pictures.find((known) => known === target.value) ?? 'none' })}
        >
          {pictures.map((picture) => (
            <option key={picture} value={picture}>
              {t(`scene.picture_${picture}`)}
            </option>
          ))}
        </select>
        <span className="push row">
          <button
            type="button"
            className="btn ghost sm"
            disabled={at === 0}
            onClick={() => edit((now) => moveScene(now, scene.id, -1))}
          >
            {t('scenes.up')}
          </button>
          <button
            type="button"
            className="btn ghost sm"
            disabled={at === board.scenes.length - 1}
            onClick={() => edit((now) => moveScene(now, scene.id, 1))}
          >
            {t('scenes.down')}
          </button>
          <button
            type="button"
            className="btn ghost sm warnish"
            disabled={board.scenes.length === 1}
            onClick={() => setRemoving(true)}
          >
            {t('scenes.remove')}
          </button>
        </span>
      </fieldset>
      <ConfirmDialog
        isOpen={isRemoving}
        onClose={() => setRemoving(false)}
        title={t('scenes.removeTitle', { n: at + 1, title: scene.title || t('scenes.unnamed') })}
        text={t('scenes.removeText')}
        keepLabel={t('scenes.removeKeep')}
        doLabel={t('scenes.removeDo')}
        onDo={() => {
          setRemoving(false);
          edit((now) => removeScene(now, scene.id));
        }}
      />
    </article>
  );
}

/** What is nowhere but on this page is marked where it stands. */
function ReadOnlyPaper({ board, savedBoard, scene, children }: ScenePaperProps) {
  const { t } = useTranslation('editor');
  const before = savedBoard.scenes.find(({ id }) => id === scene.id);
  const paragraphs = markNewParagraphs(scene.text, before?.text ?? '');
  return (
    <article className="paper">
      <h1>{board.title || t('untitled')}</h1>
      <div className="mt">
        {t('board.meta', {
          n: board.scenes.indexOf(scene) + 1,
          all: board.scenes.length,
          title: scene.title || t('scenes.unnamed'),
          seconds: scene.seconds,
        })}
      </div>
      {scene.picture !== 'none' && <ScenePicture scene={scene} />}
      {children}
      {scene.sound && (
        <p className="cue">
          {t('scene.sound')} {scene.sound}
        </p>
      )}
      <section id="scene-text" className="text" aria-label={t('scene.text')} tabIndex={-1}>
        {paragraphs.map(({ text, isNew }, i) =>
          isNew ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: paragraphs have no name but their place.
            <div className="kept" key={i}>
              {text}
              <small>
                <Icon name="s-warn" small />
                {t('scene.kept')}
              </small>
            </div>
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: paragraphs have no name but their place.
            <p key={i}>{text}</p>
          ),
        )}
      </section>
    </article>
  );
}
