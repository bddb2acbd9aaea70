import { civilToMs } from '../schedule/civil-time.ts';

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
/** A target that asks for more gets our own backoff instead. */
const delayMsMax = 86_400_000;

/** The header Retry-After: seconds, or a date as of HTTP. Undefined when there is none that can be read. */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  const delayMs = /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : dateMs(text) - nowMs;
  return delayMs <= delayMsMax ? Math.max(0, delayMs) : undefined;
}

/** `Sun, 06 Nov 1994 08:49:37 GMT` */
function dateMs(text: string): number {
  const parts = /^\w{3}, (\d{2}) (\w{3}) (\d{4}) (\d{2}):(\d{2}):(\d{2}) GMT$/.exec(text);
  const month = months.indexOf(parts?.[2] ?? '') + 1;
  if (!parts || month === 0) return Number.NaN;
  const [day, year, hour, minute, second] = [1, 3, 4, 5, 6].map((index) => Number(parts[index])) as [
    number,
    number,
    number,
    number,
    number,
  ];
  return civilToMs({ year, month, day, hour, minute, second });
}
