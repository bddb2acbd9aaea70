import i18next from 'i18next';
import { initReactI18next } from 'react-i18next';
import { editorEn } from './en.ts';
import { editorJa } from './ja.ts';

/** The language the first paint chose, until the reader chooses another. */
export async function startEditorWords(): Promise<void> {
  await i18next.use(initReactI18next).init({
    lng: document.documentElement.lang,
    fallbackLng: 'en',
    showSupportNotice: false,
    defaultNS: 'editor',
    resources: { en: { editor: editorEn }, ja: { editor: editorJa } },
    // React escapes what it shows.
    interpolation: { escapeValue: false },
  });
}
