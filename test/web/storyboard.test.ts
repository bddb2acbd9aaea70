/** What the editor does without a browser: reading what was saved, comparing texts; and how much its page loads. */
import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  compareTexts,
  countChanges,
  countNewSentences,
  markNewParagraphs,
} from '../../web/src/editor/compare-texts.ts';
import { addScene, blankScene, moveScene, readStoryboard, removeScene } from '../../web/src/editor/storyboard.ts';

describe('a saved storyboard', () => {
  it('is read whatever was saved, with at least one scene and no id twice', () => {
    fc.assert(
      fc.property(
        fc.anything({ withNullPrototype: true }),
        fc.array(fc.anything(), { maxLength: 4 }),
        (saved, scenes) => {
          for (const document of [saved, { title: saved, scenes }, { scenes: [saved, saved] }]) {
            const board = readStoryboard(document);
            expect(board.scenes.length).toBeGreaterThan(0);
            expect(new Set(board.scenes.map(({ id }) => id)).size).toBe(board.scenes.length);
            expect(readStoryboard(JSON.parse(JSON.stringify(board)))).toEqual(board);
          }
        },
      ),
    );
  });

  it('takes scenes in, moves them and lets them go, but never the last', () => {
    const board = addScene(readStoryboard({ title: 'x', scenes: [blankScene('a')] }), 'a', blankScene('b'));
    const ids = (of: typeof board): string => of.scenes.map(({ id }) => id).join('');
    expect(ids(board)).toBe('ab');
    expect(ids(moveScene(board, 'b', -1))).toBe('ba');
    expect(ids(moveScene(board, 'b', 1))).toBe('ab');
    expect(ids(removeScene(removeScene(board, 'a'), 'b'))).toBe('b');
  });
});

describe('two texts', () => {
  const before = (parts: ReturnType<typeof compareTexts>): string =>
    parts.map(({ kind, text }) => (kind === 'added' ? '' : text)).join('');
  const after = (parts: ReturnType<typeof compareTexts>): string =>
    parts.map(({ kind, text }) => (kind === 'removed' ? '' : text)).join('');

  it('are told apart so that either can be put together again', () => {
    const word = fc.constantFrom('the ', 'lantern ', 'drifts. ', '灯籠は', '流れる。', '\n\n', '<b>');
    const text = fc.array(word, { maxLength: 30 }).map((words) => words.join(''));
    fc.assert(
      fc.property(text, text, (old, now) => {
        const parts = compareTexts(old, now);
        expect([before(parts), after(parts)]).toEqual([old, now]);
      }),
    );
  });

  it('are compared by words, in Japanese, too', () => {
    expect(compareTexts('The lanterns float by.', 'The lanterns drift by.')).toEqual([
      { kind: 'same', text: 'The lanterns ' },
      { kind: 'removed', text: 'float' },
      { kind: 'added', text: 'drift' },
      { kind: 'same', text: ' by.' },
    ]);
    expect(countChanges(compareTexts('灯籠は静かに流れる。', '灯籠は流れる。'))).toMatchObject({ added: 0 });
  });

  it('of a book each do not hold up the page', () => {
    const book = (word: string): string => Array.from({ length: 20_000 }, (_, i) => `${word}${i} `).join('');
    const parts = compareTexts(`same ${book('a')}`, `same ${book('b')}`);
    expect(parts.map(({ kind }) => kind)).toEqual(['same', 'removed', 'added', 'same']);
  });

  it('show what is new, by paragraph and by sentence', () => {
    expect(markNewParagraphs('One.\n\nTwo.', 'One.')).toEqual([
      { text: 'One.', isNew: false },
      { text: 'Two.', isNew: true },
    ]);
    expect(countNewSentences('One. Two. Three.', 'Two. One.')).toBe(1);
  });
});

describe('first load', () => {
  const dist = new URL('../../dist/web/', import.meta.url);
  it.each(readdirSync(dist).filter((name) => name.endsWith('.html')))('%s loads at most 250 kB of script', (name) => {
    const page = readFileSync(new URL(name, dist), 'utf8');
    const scripts = [...page.matchAll(/(?:src|href)="\/([^"]+\.js)"/g)].map(([, path]) => path ?? '');
    expect(scripts.length).toBeGreaterThan(1);
    const bytes = scripts.reduce((sum, path) => sum + gzipSync(readFileSync(new URL(path, dist))).length, 0);
    console.log(`${name}: ${Math.round(bytes / 1024)} kB of script, compressed`);
    expect(bytes).toBeLessThanOrEqual(250 * 1024);
  });
});
