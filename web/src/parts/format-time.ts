/** “2.7 s”, “16 s”, “3 min 33 s”, “2 h 5 min”: short, and never more exact than useful. */
export function formatLeft(ms: number): string {
  const seconds = Math.max(ms, 0) / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.floor(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function formatPercent(share: number): string {
  return `${Math.round(share * 1000) / 10} %`;
}

/** The hour for today, with the day before that. */
export function formatMoment(ms: number, language: string): string {
  const at = new Date(ms);
  const today = new Date().toDateString() === at.toDateString();
  return new Intl.DateTimeFormat(language, {
    ...(today ? {} : { day: 'numeric', month: 'short' }),
    hour: '2-digit',
    minute: '2-digit',
    hour12: false,
  }).format(at);
}

/** “1 min ago”, “1分前”. */
export function formatAgo(ms: number, nowMs: number, language: string): string {
  const seconds = Math.round((ms - nowMs) / 1000);
  const size = Math.abs(seconds);
  const [value, unit] =
    size < 60
      ? ([seconds, 'second'] as const)
      : size < 3_600
        ? ([Math.trunc(seconds / 60), 'minute'] as const)
        : size < 86_400
          ? ([Math.trunc(seconds / 3_600), 'hour'] as const)
          : ([Math.trunc(seconds / 86_400), 'day'] as const);
  return relative(language).format(value, unit).replace('.', '');
}

const relatives = new Map<string, Intl.RelativeTimeFormat>();
function relative(language: string): Intl.RelativeTimeFormat {
  const known = relatives.get(language) ?? new Intl.RelativeTimeFormat(language, { style: 'short' });
  relatives.set(language, known);
  return known;
}

/** “14:31:02”: for logs and stories, where seconds tell the order. */
export function formatClock(ms: number, language: string): string {
  return new Date(ms).toLocaleTimeString(language, { hour12: false });
}

/** “30 ms”, “1.2 s”, “4 min 22 s”: how long something took. */
export function formatTook(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : formatLeft(ms);
}

export function formatCount(count: number, language: string): string {
  return new Intl.NumberFormat(language).format(count);
}
