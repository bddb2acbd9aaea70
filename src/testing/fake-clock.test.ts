import { describe, expect, it } from 'vitest';
import { fakeClock } from './fake-clock.ts';

describe('fakeClock', () => {
  it('stands still until it is moved', async () => {
    const clock = fakeClock({ startWallMs: 1_000 });
    expect([clock.monotonicMs(), clock.wallMs()]).toEqual([0, 1_000]);
    await clock.advance(250);
    expect([clock.monotonicMs(), clock.wallMs()]).toEqual([250, 1_250]);
  });

  it('runs timers in the order they fall due, at their times, the older one first', async () => {
    const clock = fakeClock();
    const ran: string[] = [];
    const note = (name: string) => () => void ran.push(`${name}@${clock.monotonicMs()}`);
    clock.after(30, note('c'));
    clock.after(10, note('a'));
    clock.after(30, note('d'));
    clock.after(20, note('b'));
    clock.after(31, note('later'));
    await clock.advance(30);
    expect(ran).toEqual(['a@10', 'b@20', 'c@30', 'd@30']);
    expect(clock.pendingTimers()).toBe(1);
  });

  it('lets promises settle between two timers', async () => {
    const clock = fakeClock();
    const ran: string[] = [];
    clock.after(10, async () => {
      for (let i = 0; i < 20; i++) await undefined;
      ran.push('promises of the first');
    });
    clock.after(10, () => void ran.push('second'));
    await clock.advance(10);
    expect(ran).toEqual(['promises of the first', 'second']);
  });

  it('runs timers that timers set, as far as it moves', async () => {
    const clock = fakeClock();
    let beats = 0;
    const beat = (): void => {
      beats += 1;
      clock.after(10, beat);
    };
    beat();
    await clock.advance(35);
    expect(beats).toBe(4);
    expect(clock.monotonicMs()).toBe(35);
  });

  it('does not run a cancelled timer; cancelling twice does nothing', async () => {
    const clock = fakeClock();
    let ran = false;
    const timer = clock.after(10, () => {
      ran = true;
    });
    timer.cancel();
    timer.cancel();
    await clock.advance(100);
    expect([ran, clock.pendingTimers()]).toEqual([false, 0]);
  });

  it('goes from timer to timer', async () => {
    const clock = fakeClock();
    clock.after(500, () => {});
    clock.after(70, () => {});
    expect(await clock.runNext()).toBe(true);
    expect(clock.monotonicMs()).toBe(70);
    expect(await clock.runNext()).toBe(true);
    expect(clock.monotonicMs()).toBe(500);
    expect(await clock.runNext()).toBe(false);
  });

  it('reports what a timer throws', async () => {
    const clock = fakeClock();
    clock.after(10, () => {
      throw new Error('in the timer');
    });
    await expect(clock.advance(10)).rejects.toThrow('in the timer');
    await clock.advance(10);
    expect(clock.monotonicMs()).toBe(20);
  });

  it('refuses to be moved by two at once', async () => {
    const clock = fakeClock();
    const first = clock.advance(10);
    await expect(clock.fork().advance(10)).rejects.toThrow('moving already');
    await first;
  });

  it('has a wall clock that people set, and a monotonic one they cannot', async () => {
    const clock = fakeClock({ startWallMs: 1_000 });
    clock.jumpWall(-300);
    expect(clock.wallMs()).toBe(700);
    clock.setWallMs(5_000);
    await clock.advance(10);
    expect([clock.wallMs(), clock.monotonicMs()]).toEqual([5_010, 10]);
  });

  it('sleeps: the wall goes on, monotonic time and timers stand still', async () => {
    const clock = fakeClock({ startWallMs: 0 });
    const ran: number[] = [];
    clock.after(100, () => ran.push(clock.monotonicMs()));
    await clock.advance(40);
    await clock.sleepMachine(3_600_000);
    expect([clock.monotonicMs(), clock.wallMs(), ran]).toEqual([40, 3_600_040, []]);
    await clock.advance(59);
    expect(ran).toEqual([]);
    await clock.advance(1);
    expect(ran).toEqual([100]);
  });

  it('forks machines on one time line: each with its wall clock, its timers and its sleep', async () => {
    const a = fakeClock({ startWallMs: 0 });
    const b = a.fork({ wallOffsetMs: 5_000 });
    const ran: string[] = [];
    a.after(100, () => ran.push('a'));
    b.after(50, () => ran.push('b'));
    expect([a.pendingTimers(), b.pendingTimers()]).toEqual([1, 1]);
    await a.sleepMachine(200);
    expect(ran).toEqual(['b']);
    expect([a.monotonicMs(), b.monotonicMs(), a.wallMs(), b.wallMs()]).toEqual([0, 200, 200, 5_200]);
    await b.advance(100);
    expect(ran).toEqual(['b', 'a']);
  });
});
