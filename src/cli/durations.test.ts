import { describe, expect, it } from 'vitest';
import { formatDuration, parseDuration } from './durations.ts';

describe('parseDuration', () => {
  it('reads what people write', () => {
    const read = ['500ms', '30s', '1.5s', '5m', '2h', '1d', ' 10s ', '0s'].map(parseDuration);
    expect(read).toEqual([500, 30_000, 1_500, 300_000, 7_200_000, 86_400_000, 10_000, 0]);
  });

  it('takes nothing else', () => {
    for (const text of ['', '30', '-5s', 'NaN', 'Infinity', '1y', '1e3s', '5 s', 's', '0x10s', '9'.repeat(20)]) {
      expect(parseDuration(text), text).toBeUndefined();
    }
  });
});

describe('formatDuration', () => {
  it('is short and can be read back', () => {
    expect([50, 999.6, 1_000, 4_700, 60_000, 90_000, 86_400_000].map(formatDuration)).toEqual([
      '50ms',
      '1000ms',
      '1s',
      '4.7s',
      '1m',
      '90s',
      '1d',
    ]);
  });
});
