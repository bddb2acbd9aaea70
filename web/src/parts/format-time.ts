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
  const isToday = new Date().toDateString() === new Date(ms).toDateString();
  return dateFormat(language, isToday ? 'hour' : 'day').format(ms);
}

/** “18/11/2026, 14:31:02 JST”: all of it, for whoever points at a time. */
export function formatWhole(ms: number, language: string): string {
  return dateFormat(language, 'whole').format(ms);
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
  return dateFormat(language, 'clock').format(ms);
}

/** “30 ms”, “1.2 s”, “4 min 22 s”: how long something took. */
export function formatTook(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : formatLeft(ms);
}

export function formatCount(count: number, language: string): string {
  const known = numbers.get(language) ?? new Intl.NumberFormat(language);
  numbers.set(language, known);
  return known.format(count);
}

const numbers = new Map<string, Intl.NumberFormat>();

const minutes = { hour: '2-digit', minute: '2-digit', hour12: false } as const;
const seconds = { hour: 'numeric', minute: 'numeric', second: 'numeric' } as const;
const dateOptions = {
  hour: minutes,
  day: { day: 'numeric', month: 'short', ...minutes },
  clock: { ...seconds, hour12: false },
  whole: { day: 'numeric', month: 'numeric', year: 'numeric', ...seconds, timeZoneName: 'short' },
} as const satisfies Readonly<Record<string, Intl.DateTimeFormatOptions>>;

const dates = new Map<string, Intl.DateTimeFormat>();

/** Making a format takes half a millisecond, using one a thousandth of that: a table with a time in each row is felt. */
function dateFormat(language: string, kind: keyof typeof dateOptions): Intl.DateTimeFormat {
  const key = `${language} ${kind}`;
  const known = dates.get(key) ?? new Intl.DateTimeFormat(language, dateOptions[kind]);
  dates.set(key, known);
  return known;
}
