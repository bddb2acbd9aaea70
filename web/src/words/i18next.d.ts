import type { editorEn } from '../editor/words/en.ts';
import type { en } from './en.ts';

declare module 'i18next' {
  interface CustomTypeOptions {
    resources: { translation: typeof en; editor: typeof editorEn };
  }
}
