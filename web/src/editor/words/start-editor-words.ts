import { beginWords } from '../../words/begin-words.ts';
import { editorEn } from './en.ts';
import { editorJa } from './ja.ts';

export function startEditorWords(): Promise<void> {
  return beginWords('editor', { en: { editor: editorEn }, ja: { editor: editorJa } });
}
