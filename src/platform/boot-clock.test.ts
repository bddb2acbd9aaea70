import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { bootClock, unknownBoot } from './boot-clock.ts';

describe('bootClock', () => {
  it('counts whole microseconds that never go back', () => {
    const { nowUs } = bootClock();
    let before = nowUs();
    for (let i = 0; i < 1_000; i++) {
      const now = nowUs();
      expect(Number.isSafeInteger(now)).toBe(true);
      expect(now).toBeGreaterThanOrEqual(before);
      before = now;
    }
  });

  it('is one clock for all processes', () => {
    const { nowUs } = bootClock();
    const before = nowUs();
    const other = Number(execFileSync(process.execPath, ['-p', 'process.hrtime.bigint() / 1000n + ""']));
    expect(other).toBeGreaterThanOrEqual(before);
    expect(nowUs()).toBeGreaterThanOrEqual(other);
  });

  it.runIf(process.platform === 'linux')('names this boot', () => {
    expect(bootClock().bootId).toMatch(/^[0-9a-f]{8}$/);
    expect(bootClock().bootId).toBe(bootClock().bootId);
    expect(bootClock().bootId).not.toBe(unknownBoot);
  });
});
