import type { Locale } from '../app-error.ts';

/** `Saturday, 21 November, 19:00` in English, `11月21日（土）19:00` in Japanese, in the given zone. */
export function formatTime(atMs: number, timeZone: string, locale: Locale): string {
  const parts = new Intl.DateTimeFormat(locale === 'ja' ? 'ja-JP' : 'en-GB', {
    timeZone,
    month: locale === 'ja' ? 'numeric' : 'long',
    day: 'numeric',
    weekday: locale === 'ja' ? 'short' : 'long',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(atMs);
  const part = (type: Intl.DateTimeFormatPartTypes): string => parts.find((found) => found.type === type)?.value ?? '';
  const clock = `${part('hour')}:${part('minute')}`;
  return locale === 'ja'
    ? `${part('month')}月${part('day')}日（${part('weekday')}）${clock}`
    : `${part('weekday')}, ${part('day')} ${part('month')}, ${clock}`;
}
