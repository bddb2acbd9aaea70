import { expect, it } from 'vitest';
import { retryAfterMs } from './retry-after-ms.ts';

it('reads seconds and dates, and nothing else', () => {
  const now = Date.UTC(1994, 10, 6, 8, 49, 7);
  expect(retryAfterMs('120', now)).toBe(120_000);
  expect(retryAfterMs('Sun, 06 Nov 1994 08:49:37 GMT', now)).toBe(30_000);
  expect(retryAfterMs('Sun, 06 Nov 1994 08:00:00 GMT', now)).toBe(0);
  for (const text of [undefined, '', 'soon', '-5', '1.5', '999999999', 'Sun, 06 Xyz 1994 08:49:37 GMT'])
    expect(retryAfterMs(text, now)).toBeUndefined();
});
