/** Light to dark and back, remembered. */
export function changeTheme(): void {
  const root = document.documentElement;
  const next = root.dataset.theme === 'dark' ? 'light' : 'dark';
  root.dataset.theme = next;
  try {
    localStorage.setItem('kannuki-theme', next);
  } catch {
    // Without storage the choice lasts as long as the page.
  }
}
