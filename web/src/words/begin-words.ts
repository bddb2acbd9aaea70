import i18next, { type InitOptions } from 'i18next';
import { initReactI18next } from 'react-i18next';

/** The language the first paint chose, until the reader chooses another. */
export async function beginWords(
  defaultNS: NonNullable<InitOptions['defaultNS']>,
  resources: NonNullable<InitOptions['resources']>,
): Promise<void> {
  await i18next.use(initReactI18next).init({
    lng: document.documentElement.lang,
    fallbackLng: 'en',
    showSupportNotice: false,
    defaultNS,
    resources,
    // React escapes what it shows.
    interpolation: { escapeValue: false },
  });
}
