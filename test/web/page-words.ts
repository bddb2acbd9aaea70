/** The words of the operations pages as a test looks for them: in either language, from the catalogue the page uses. */
import { createInstance } from 'i18next';
import { en } from '../../web/src/words/en.ts';
import { ja } from '../../web/src/words/ja.ts';

export type PageLanguage = 'en' | 'ja';

export interface PageWords {
  /** The words of a key, with what stands in them. */
  say(key: string, values?: Readonly<Record<string, string | number>>): string;
  /** The whole of the words of a key, whatever stands in them. */
  like(key: string): RegExp;
}

export async function pageWords(language: PageLanguage): Promise<PageWords> {
  const words = createInstance();
  await words.init({
    lng: language,
    showSupportNotice: false,
    resources: { en: { translation: en }, ja: { translation: ja } },
    interpolation: { escapeValue: false },
  });
  const say: PageWords['say'] = (key, values = {}) => {
    if (!words.exists(key, values)) throw new Error(`There are no words for "${key}".`);
    return String(words.t(key as never, values as never));
  };
  return {
    say,
    like(key) {
      const text = String(words.t(key as never, { count: 2, skipInterpolation: true } as never));
      const parts = text.split(/\{\{\w+\}\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
      return new RegExp(`^\\s*${parts.join('.+')}\\s*$`);
    },
  };
}
