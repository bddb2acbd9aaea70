import { describe, expect, it } from 'vitest';
import { createWorkMeter } from './work-meter.ts';

const idle = { running: 0, ready: 0, claimed: 0 };

describe('createWorkMeter', () => {
  it('begins with what the slots take', () => {
    expect(createWorkMeter(10).room(idle)).toBe(10);
    expect(createWorkMeter(10).room({ running: 4, ready: 0, claimed: 4 })).toBe(10);
    expect(createWorkMeter(10).room({ running: 10, ready: 10, claimed: 20 })).toBe(0);
  });

  it('claims about 50 ms of work ahead, and never a block of more than 1,000', () => {
    const meter = createWorkMeter(10);
    for (let i = 0; i < 200; i++) meter.note(5);
    // 10 slots, 5 ms each: 100 runs are 50 ms.
    expect(meter.room(idle)).toBeGreaterThanOrEqual(95);
    expect(meter.room(idle)).toBeLessThanOrEqual(101);
    expect(meter.room({ running: 10, ready: 101, claimed: 111 })).toBe(0);
    for (let i = 0; i < 400; i++) meter.note(0);
    expect(meter.room(idle)).toBe(1_000);
  });

  it('claims nothing ahead for slow handlers', () => {
    const meter = createWorkMeter(10);
    for (let i = 0; i < 400; i++) meter.note(10_000);
    expect(meter.room({ running: 10, ready: 0, claimed: 10 })).toBe(0);
    expect(meter.room({ running: 7, ready: 0, claimed: 7 })).toBe(3);
  });

  it('holds 2,000 at most, also those that have ended and are not stored', () => {
    const meter = createWorkMeter(10);
    for (let i = 0; i < 400; i++) meter.note(0);
    expect(meter.room({ running: 10, ready: 0, claimed: 1_700 })).toBe(300);
    expect(meter.room({ running: 10, ready: 0, claimed: 2_000 })).toBe(0);
    expect(createWorkMeter(5_000).room({ ...idle, claimed: 4_000 })).toBe(1_000);
  });
});
