import { beginWords } from './begin-words.ts';
import { bookingsEn } from './bookings-en.ts';
import { bookingsJa } from './bookings-ja.ts';
import { en } from './en.ts';
import { ja } from './ja.ts';

export function startWords(): Promise<void> {
  return beginWords('translation', {
    en: { translation: en, bookings: bookingsEn },
    ja: { translation: ja, bookings: bookingsJa },
  });
}
