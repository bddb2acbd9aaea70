/** Days, times and money as customers read them; times are those of the place. */

export type Language = 'en' | 'ja';

const locales = { en: 'en-GB', ja: 'ja-JP' } as const;

export function languageOf(code: string): Language {
  return code.startsWith('ja') ? 'ja' : 'en';
}

/** “¥8,800”, 「8,800円」. */
export function formatMoney(amount: number, currency: string, language: Language): string {
  if (language === 'ja' && currency === 'jpy') return `${amount.toLocaleString('ja-JP')}円`;
  const format = new Intl.NumberFormat(language === 'en' ? 'en' : 'ja-JP', { style: 'currency', currency });
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2;
  return format.format(amount / 10 ** digits);
}

export function formatTime(ms: number, timeZone: string, language: Language, seconds = false): string {
  return new Intl.DateTimeFormat(locales[language], {
    timeZone,
    hour: '2-digit',
    minute: '2-digit',
    ...(seconds && { second: '2-digit' }),
    hourCycle: 'h23',
  }).format(ms);
}

/** “Sat 21 Nov”, 「11月21日（土）」. */
export function formatDay(date: string, language: Language): string {
  return dayFormat(language, { weekday: 'short', day: 'numeric', month: 'short' })
    .format(noonOf(date))
    .replace(/^(\w+), /, '$1 ')
    .replace('(', '（')
    .replace(')', '）');
}

/** “Sat 21 Nov, 19:00”, 「11月21日（土）19:00」. */
export function formatStart(date: string, ms: number, timeZone: string, language: Language): string {
  return `${formatDay(date, language)}${language === 'ja' ? '' : ', '}${formatTime(ms, timeZone, language)}`;
}

/** The calendar day of a moment. */
export function dayOf(ms: number, timeZone: string): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(ms);
}

/** “18–24 Nov”, 「11月18日～24日」. */
export function formatDays(first: string, last: string, language: Language): string {
  return dayFormat(language, { day: 'numeric', month: 'short' }).formatRange(noonOf(first), noonOf(last));
}

/** A title in the quotation marks of the language. */
export function quoteTitle(title: string, language: Language): string {
  return language === 'ja' ? `「${title}」` : `“${title}”`;
}

/** “Saturday 21 November”, 「11月21日（土）」. */
export function formatLongDay(date: string, language: Language): string {
  if (language === 'ja') return formatDay(date, language);
  return dayFormat(language, { weekday: 'long', day: 'numeric', month: 'long' })
    .format(noonOf(date))
    .replace(/^(\w+), /, '$1 ');
}

export function formatMonth(date: string, language: Language): string {
  return dayFormat(language, { month: 'long' }).format(noonOf(date));
}

export function weekdayOf(date: string, language: Language): string {
  return dayFormat(language, { weekday: 'short' }).format(noonOf(date));
}

/** 0 is Sunday. */
export function weekdayNumber(date: string): number {
  return new Date(noonOf(date)).getUTCDay();
}

export function dayNumber(date: string): string {
  return String(Number(date.slice(8)));
}

export function addDays(date: string, days: number): string {
  return new Date(noonOf(date) + days * 86_400_000).toISOString().slice(0, 10);
}

/** A calendar day has no zone: it is read and written as UTC. */
function noonOf(date: string): number {
  return Date.parse(`${date}T12:00:00Z`);
}

function dayFormat(language: Language, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(locales[language], { timeZone: 'UTC', ...options });
}
