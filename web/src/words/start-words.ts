import i18next from 'i18next';
import { initReactI18next } from 'react-i18next';
import { bookingsEn } from './bookings-en.ts';
import { bookingsJa } from './bookings-ja.ts';
import { en } from './en.ts';
import { ja } from './ja.ts';

/** The language the first paint chose, until the reader chooses another. */
export async function startWords(): Promise<void> {
  await i18next.use(initReactI18next).init({
    lng: document.documentElement.lang,
    fallbackLng: 'en',
    showSupportNotice: false,
    resources: { en: { translation: en, bookings: bookingsEn }, ja: { translation: ja, bookings: bookingsJa } },
    // React escapes what it shows.
    interpolation: { escapeValue: false },
  });
}
