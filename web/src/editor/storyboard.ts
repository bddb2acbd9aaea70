/** The document of the editor: a film as scenes, each with a picture, a sound and a text. Plain JSON. */
export const pictures = ['none', 'dusk', 'lanterns', 'bridge', 'wall'] as const;
export type Picture = (typeof pictures)[number];

export interface Scene {
  /** Unique within the storyboard; it survives moves and renames. */
  readonly id: string;
  readonly title: string;
  /** 0 to 3600, whole. */
  readonly seconds: number;
  readonly sound: string;
  readonly text: string;
  readonly picture: Picture;
}

export interface Storyboard {
  readonly title: string;
  /** Never empty. */
  readonly scenes: readonly [Scene, ...Scene[]];
}

export const longestSceneSeconds = 3600;

export function blankScene(id: string): Scene {
  return { id, title: '', seconds: 5, sound: '', text: '', picture: 'none' };
}

export const blankStoryboard: Storyboard = { title: '', scenes: [blankScene('1')] };

/** True while nobody has written anything. */
export function isBlank({ title, scenes }: Storyboard): boolean {
  return title === '' && scenes.every((scene) => `${scene.title}${scene.sound}${scene.text}` === '');
}

/**
 * What was saved, as a storyboard. An older version of the page, or another program of this origin, may have written
 * it: whatever is missing or of the wrong kind becomes blank, and nothing is thrown.
 */
export function readStoryboard(saved: unknown): Storyboard {
  const { title, scenes } = fieldsOf(saved);
  const read = (Array.isArray(scenes) ? scenes : []).map(readScene);
  const ids = new Set<string>();
  const [first = blankScene('1'), ...rest] = read.map((scene, i) => {
    const id = scene.id === '' || ids.has(scene.id) ? `${i + 1}-${read.length}` : scene.id;
    ids.add(id);
    return { ...scene, id };
  });
  return { title: textOf(title), scenes: [first, ...rest] };
}

function readScene(saved: unknown): Scene {
  const { id, title, seconds, sound, text, picture } = fieldsOf(saved);
  return {
    id: textOf(id),
    title: textOf(title),
    seconds: readSeconds(seconds),
    sound: textOf(sound),
    text: textOf(text),
    picture: pictures.find((known) => known === picture) ?? 'none',
  };
}

export function readSeconds(seconds: unknown): number {
  const whole = Math.round(Number(seconds));
  return Number.isFinite(whole) ? Math.min(Math.max(whole, 0), longestSceneSeconds) : 0;
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The storyboard with one scene changed. */
export function changeScene(board: Storyboard, id: string, change: Partial<Scene>): Storyboard {
  return withScenes(
    board,
    board.scenes.map((scene) => (scene.id === id ? { ...scene, ...change } : scene)),
  );
}

/** Behind the scene with this id. */
export function addScene(board: Storyboard, after: string, scene: Scene): Storyboard {
  return withScenes(
    board,
    board.scenes.flatMap((known) => (known.id === after ? [known, scene] : [known])),
  );
}

/** The last one cannot be removed. */
export function removeScene(board: Storyboard, id: string): Storyboard {
  return withScenes(
    board,
    board.scenes.filter((scene) => scene.id !== id),
  );
}

export function moveScene(board: Storyboard, id: string, by: -1 | 1): Storyboard {
  const scenes = [...board.scenes];
  const at = scenes.findIndex((scene) => scene.id === id);
  const [moved] = scenes.slice(at, at + 1);
  if (!moved || at + by < 0 || at + by >= scenes.length) return board;
  scenes.splice(at, 1);
  scenes.splice(at + by, 0, moved);
  return withScenes(board, scenes);
}

function withScenes(board: Storyboard, [first, ...rest]: readonly Scene[]): Storyboard {
  return first ? { ...board, scenes: [first, ...rest] } : board;
}

/** Everything as one text: to copy, to compare, to count. */
export function storyboardText({ title, scenes }: Storyboard): string {
  return [title, ...scenes.map((scene) => [scene.title, scene.sound, scene.text].filter(Boolean).join('\n'))]
    .filter(Boolean)
    .join('\n\n');
}
