/** What changed between two texts, word by word; and what of a text is not in another, paragraph by paragraph. */
export interface TextPart {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
}

/** Above this many comparisons the middle is shown as replaced: a page must not stand still for a preview. */
const comparisonsMax = 1_000_000;

export function compareTexts(before: string, after: string): readonly TextPart[] {
  const old = wordsOf(before);
  const now = wordsOf(after);
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < old.length - head && tail < now.length - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++;
  const middle = compareWords(old.slice(head, old.length - tail), now.slice(head, now.length - tail));
  return join([
    ...now.slice(0, head).map((text) => ({ kind: 'same', text }) as const),
    ...middle,
    ...now.slice(now.length - tail).map((text) => ({ kind: 'same', text }) as const),
  ]);
}

/** Words added and removed; what stands between words is not counted. */
export function countChanges(parts: readonly TextPart[]): { readonly added: number; readonly removed: number } {
  const count = (kind: TextPart['kind']): number =>
    parts.filter((part) => part.kind === kind).reduce((sum, { text }) => sum + countWords(text), 0);
  return { added: count('added'), removed: count('removed') };
}

export function countWords(text: string): number {
  return wordsOf(text).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

/** Characters as a Japanese reader counts them: without blanks. */
export function countCharacters(text: string): number {
  return [...text.replace(/\s/g, '')].length;
}

export interface Paragraph {
  readonly text: string;
  /** It is nowhere in what was saved. */
  readonly isNew: boolean;
}

/** The paragraphs of a text, and which of them the saved text does not have. */
export function markNewParagraphs(text: string, saved: string): readonly Paragraph[] {
  const known = new Set(paragraphsOf(saved));
  return paragraphsOf(text).map((paragraph) => ({ text: paragraph, isNew: !known.has(paragraph) }));
}

/** How many sentences of a text the saved one does not have. */
export function countNewSentences(text: string, saved: string): number {
  const known = new Set(sentencesOf(saved));
  return sentencesOf(text).filter((sentence) => !known.has(sentence)).length;
}

function paragraphsOf(text: string): readonly string[] {
  return text
    .split(/\n+/)
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== '');
}

function sentencesOf(text: string): readonly string[] {
  return paragraphsOf(text).flatMap((paragraph) =>
    (paragraph.match(/[^.!?。！？]+[.!?。！？]*/g) ?? []).map((sentence) => sentence.trim()),
  );
}

/**
 * Words, blanks and signs; where words are written without blanks, single characters. (`Intl.Segmenter` knows Japanese
 * words, but its parts hold a copy of the whole text each: a long text would fill the memory.)
 */
const single = '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}ー]';
const word = new RegExp(`${single}|(?:(?!${single})[\\p{L}\\p{N}\\p{M}'’])+|\\s+|.`, 'gsu');

function wordsOf(text: string): readonly string[] {
  return text.match(word) ?? [];
}

/** The longest common run of words, by the usual table. */
function compareWords(old: readonly string[], now: readonly string[]): readonly TextPart[] {
  if (old.length * now.length > comparisonsMax) {
    return [
      { kind: 'removed', text: old.join('') },
      { kind: 'added', text: now.join('') },
    ];
  }
  const width = now.length + 1;
  const common = new Uint32Array((old.length + 1) * width);
  const at = (i: number, j: number): number => common[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      common[i * width + j] = old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const parts: TextPart[] = [];
  let i = 0;
  let j = 0;
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      parts.push({ kind: 'same', text: now[j++] ?? '' });
      i++;
    } else if (j >= now.length || (i < old.length && at(i + 1, j) >= at(i, j + 1))) {
      parts.push({ kind: 'removed', text: old[i++] ?? '' });
    } else parts.push({ kind: 'added', text: now[j++] ?? '' });
  }
  return parts;
}

/** Neighbours of one kind as one part. */
function join(parts: readonly TextPart[]): readonly TextPart[] {
  const joined: TextPart[] = [];
  for (const { kind, text } of parts) {
    const last = joined.at(-1);
    if (text === '') continue;
    if (last?.kind === kind) joined[joined.length - 1] = { kind, text: last.text + text };
    else joined.push({ kind, text });
  }
  return joined;
}
