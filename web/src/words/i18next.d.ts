import type { bookEn } from '../book/words/en.ts';
import type { editorEn } from '../editor/words/en.ts';
import type { bookingsEn } from './bookings-en.ts';
import type { en } from './en.ts';

declare module 'i18next' {
  interface CustomTypeOptions {
    resources: {
      translation: typeof en;
      book: typeof bookEn;
      bookings: typeof bookingsEn;
      editor: typeof editorEn;
    };
  }
}
