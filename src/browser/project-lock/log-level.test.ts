import { expect, it } from 'vitest';
import { logLevel } from './log-level.ts';

it('logs as the design note says', () => {
  expect(logLevel('web-lock-aborted')).toBe('info');
  for (const code of ['web-lock-unsupported', 'fallback-read-failed', 'lease-expired'] as const) {
    expect(logLevel(code)).toBe('warn');
    expect(logLevel(code, true)).toBe('warn');
  }
  for (const code of ['fallback-open-failed', 'fallback-write-failed', 'lease-mismatch'] as const)
    expect(logLevel(code)).toBe('error');
  expect(logLevel('renew-failed')).toBe('warn');
  expect(logLevel('renew-failed', true)).toBe('error');
});
