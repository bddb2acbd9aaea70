// Runs before the first paint, so that a dark page never flashes white and a Japanese one is never announced as English.
(() => {
  const read = (name) => {
    try {
      return localStorage.getItem(name);
    } catch {
      return null;
    }
  };
  const theme = read('kannuki-theme') ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
  const language = read('kannuki-language') ?? (navigator.language.startsWith('ja') ? 'ja' : 'en');
  document.documentElement.dataset.theme = theme;
  document.documentElement.lang = language;
})();
