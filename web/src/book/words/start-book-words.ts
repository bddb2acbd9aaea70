import { beginWords } from '../../words/begin-words.ts';
import { bookEn } from './en.ts';
import { bookJa } from './ja.ts';

export function startBookWords(): Promise<void> {
  return beginWords('book', { en: { book: bookEn }, ja: { book: bookJa } });
}
