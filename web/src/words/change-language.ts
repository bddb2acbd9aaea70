import i18next from 'i18next';

/** Another language, remembered. */
export async function changeLanguage(language: string): Promise<void> {
  document.documentElement.lang = language;
  try {
    localStorage.setItem('kannuki-language', language);
  } catch {
    // Without storage the choice lasts as long as the page.
  }
  await i18next.changeLanguage(language);
}
