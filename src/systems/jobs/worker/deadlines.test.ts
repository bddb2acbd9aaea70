import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../testing/index.ts';
import { createDeadlines } from './deadlines.ts';

describe('createDeadlines', () => {
  it('checks at the earliest deadline, then at the next one told', async () => {
    const clock = fakeClock();
    const startMs = clock.monotonicMs();
    const checked: number[] = [];
    const next = [500, Number.POSITIVE_INFINITY];
    const deadlines = createDeadlines(clock, (nowMs) => {
      checked.push(nowMs - startMs);
      return startMs + (next.shift() ?? Number.POSITIVE_INFINITY);
    });
    deadlines.note(startMs + 300);
    deadlines.note(startMs + 100);
    deadlines.note(startMs + 200);
    await clock.advance(1_000);
    expect(checked).toEqual([100, 500]);
    deadlines.note(startMs + 2_000);
    deadlines.stop();
    await clock.advance(5_000);
    expect(checked).toEqual([100, 500]);
  });

  it('does not overflow for a deadline in weeks: it looks now and then', async () => {
    const clock = fakeClock();
    const farMs = clock.monotonicMs() + 3_000_000_000;
    let checks = 0;
    const deadlines = createDeadlines(clock, () => {
      checks++;
      return farMs;
    });
    deadlines.note(farMs);
    await clock.advance(1_200_000);
    expect(checks).toBe(2);
    deadlines.stop();
  });
});
