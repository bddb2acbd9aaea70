/** The tokens this tab has held, also before a reload: they tell its own versions from those of other tabs. */
const name = 'kannuki-editor-tokens';

export function ownTokens(): ReadonlySet<number> {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(name) ?? '[]');
    return new Set(Array.isArray(kept) ? kept.filter((token) => typeof token === 'number') : []);
  } catch {
    return new Set();
  }
}

export function rememberToken(token: number): void {
  try {
    sessionStorage.setItem(name, JSON.stringify([...ownTokens(), token].slice(-200)));
  } catch {
    // Without storage every version is another tab's.
  }
}
