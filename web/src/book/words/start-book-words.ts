import i18next from 'i18next';
import { initReactI18next } from 'react-i18next';
import { bookEn } from './en.ts';
import { bookJa } from './ja.ts';

/** The language the first paint chose, until the customer chooses another. */
export async function startBookWords(): Promise<void> {
  await i18next.use(initReactI18next).init({
    lng: document.documentElement.lang,
    fallbackLng: 'en',
    showSupportNotice: false,
    defaultNS: 'book',
    resources: { en: { book: bookEn }, ja: { book: bookJa } },
    // React escapes what it shows.
    interpolation: { escapeValue: false },
  });
}
