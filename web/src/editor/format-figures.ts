/** “41 kB”, “3.2 MB”. */
export function formatSize(bytes: number): string {
  if (bytes >= 1024 * 1024) return `${(bytes / 1024 / 1024).toFixed(1).replace(/\.0$/, '')} MB`;
  return `${bytes < 1024 ? (bytes / 1024).toFixed(1).replace(/\.0$/, '') : Math.round(bytes / 1024)} kB`;
}

/** “0:14”, “12:05”. */
export function formatLength(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** The end of a token tells two of them apart; the rest is mostly the year. */
export function formatToken(token: number): string {
  const digits = String(token);
  return digits.length > 7 ? `…${digits.slice(-6)}` : digits;
}

/** “14:32:06”. */
export function formatClock(ms: number, language: string): string {
  return new Intl.DateTimeFormat(language, {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hour12: false,
  }).format(ms);
}

/** “3 min.”, “13分前”: how long ago, roughly. */
export function formatAgo(ms: number, nowMs: number, language: string): string {
  const minutes = Math.max(Math.floor((nowMs - ms) / 60_000), 0);
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'always', style: 'narrow' });
  if (minutes < 60) return format.format(-minutes, 'minute');
  if (minutes < 48 * 60) return format.format(-Math.floor(minutes / 60), 'hour');
  return format.format(-Math.floor(minutes / 1440), 'day');
}
