import { useTranslation } from 'react-i18next';
import { Icon } from '../parts/icon.tsx';
import { formatLength } from './format-figures.ts';
import type { Scene, Storyboard } from './storyboard.ts';

export interface SceneListProps {
  readonly board: Storyboard;
  readonly current: string;
  readonly canWrite: boolean;
  readonly onPick: (id: string) => void;
  readonly onAdd: () => void;
}

export function SceneList({ board, current, canWrite, onPick, onAdd }: SceneListProps) {
  const { t } = useTranslation('editor');
  const all = board.scenes.reduce((sum, { seconds }) => sum + seconds, 0);
  return (
    <nav className="scenes" aria-label={t('scenes.title')}>
      <h2>
        {t('scenes.title')}
        <span className="push">{formatLength(all)}</span>
      </h2>
      {board.scenes.map((scene, i) => (
        <button
          key={scene.id}
          type="button"
          className="scene"
          aria-current={scene.id === current ? 'true' : undefined}
          onClick={() => onPick(scene.id)}
        >
          <ScenePicture scene={scene} />
          <span>
            <span className="clip">
              {i + 1}. {scene.title || t('scenes.unnamed')}
            </span>
            <span className="mute no-s">{formatLength(scene.seconds)}</span>
          </span>
        </button>
      ))}
      {canWrite && (
        <button type="button" className="btn ghost sm add" onClick={onAdd}>
          <Icon name="plus" small />
          {t('scenes.add')}
        </button>
      )}
    </nav>
  );
}

/** A drawing; its scene's name stands beside it. */
export function ScenePicture({ scene }: { readonly scene: Scene }) {
  if (scene.picture === 'none') {
    return (
      <span className="th none">
        <Icon name="film" />
      </span>
    );
  }
  return <img className="th" src={`/scenes/${scene.picture}.svg`} alt="" />;
}
