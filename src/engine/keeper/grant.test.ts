import { describe, expect, it } from 'vitest';
import type { LostReason } from '../../core/events.ts';
import { fakeClock } from '../../testing/fake-clock.ts';
import { createGrant, type Grant, type GrantInput } from './grant.ts';
import { instantNow } from './instant.ts';

const times = { ttlMs: 1_000, renewDeadlineMs: 800, retryPeriodMs: 300 };

function setup(more: Partial<GrantInput> = {}) {
  const clock = fakeClock();
  const sent = instantNow(clock);
  const told: string[] = [];
  const make = (input: Partial<GrantInput> = {}): Grant => {
    const common = { clock, key: 'k', owner: 'o', lastToken: 7, share: undefined, times, sent, heard: sent };
    const grant = createGrant({ ...common, durationMs: 1_000, ...more, ...input });
    grant.holder = {
      onJeopardy: (cause) => void told.push(`jeopardy: ${String(cause)}`),
      onRecovered: () => void told.push('recovered'),
      onLost: (reason: LostReason) => void told.push(`lost: ${reason.kind}`),
      release: async () => true,
    };
    return grant;
  };
  return { clock, sent, told, make };
}

describe('a grant', () => {
  it('is held until its deadline, counted from when it was sent, and not at it', async () => {
    const { clock, sent, make } = setup();
    await clock.advance(100);
    const grant = make({ heard: instantNow(clock) });
    await clock.advance(699);
    expect(grant.isHeld()).toBe(true);
    expect(grant.deadlineMs(instantNow(clock))).toBe(sent.monotonicMs + 800);
    await clock.advance(1);
    expect(grant.isHeld()).toBe(false);
  });

  it('ends with the wall clock too, which can only end it sooner', async () => {
    const { clock, sent, make } = setup();
    const grant = make();
    clock.jumpWall(799);
    expect(grant.isHeld()).toBe(true);
    expect(grant.deadlineMs(instantNow(clock))).toBe(sent.monotonicMs + 1);
    clock.jumpWall(1);
    expect(grant.isHeld()).toBe(false);
    clock.jumpWall(-5_000);
    expect(grant.deadlineMs(instantNow(clock))).toBe(sent.monotonicMs + 800);
  });

  it('is renewed first after the retry period, or earlier when it is short', () => {
    const { sent, make } = setup();
    const firstMs = (input: Partial<GrantInput>): number => make(input).renewAtMs - sent.monotonicMs;
    expect(firstMs({})).toBe(250);
    expect(firstMs({ times: { ...times, retryPeriodMs: 100 } })).toBe(100);
    // Handed over: short, so it is renewed early.
    expect(firstMs({ durationMs: 400 })).toBe(50);
    const heard = { ...sent, monotonicMs: sent.monotonicMs + 30 };
    expect(firstMs({ heard })).toBe(280);
  });

  it('that is shorter has a proportionally shorter deadline', () => {
    const { sent, make } = setup();
    expect(make({ durationMs: 500 }).deadlineMs(sent)).toBe(sent.monotonicMs + 400);
  });

  it('an extension never shortens, and ends the jeopardy', async () => {
    const { clock, sent, told, make } = setup();
    const grant = make();
    grant.unanswered = 3;
    grant.extend(sent, 10);
    expect(grant.unanswered).toBe(0);
    expect(grant.deadlineMs(sent)).toBe(sent.monotonicMs + 800);
    expect(told).toEqual([]);
    grant.jeopardize('late');
    grant.jeopardize('later');
    expect([grant.state, grant.isHeld()]).toEqual(['jeopardy', true]);
    await clock.advance(100);
    grant.extend(instantNow(clock), 1_000);
    expect(grant.state).toBe('held');
    expect(grant.deadlineMs(instantNow(clock))).toBe(sent.monotonicMs + 900);
    expect(told).toEqual(['jeopardy: late', 'recovered']);
  });

  it('notices clocks that moved apart by more than the margin, either way, until it is extended', () => {
    for (const sign of [1, -1]) {
      const { clock, make } = setup();
      const grant = make();
      clock.jumpWall(200 * sign);
      expect(grant.clocksDisagree()).toBe(false);
      clock.jumpWall(sign);
      expect(grant.clocksDisagree()).toBe(true);
      grant.extend(instantNow(clock), 1_000);
      expect(grant.clocksDisagree()).toBe(false);
    }
  });

  it('is lost once, told once, and held no more; what was released is not lost any more, and not the other way round', () => {
    const { told, make } = setup();
    const lost = make();
    lost.lose({ kind: 'expired' });
    lost.lose({ kind: 'deadline' });
    lost.jeopardize('late');
    lost.end();
    expect([lost.state, lost.isHeld()]).toEqual(['lost', false]);
    const ended = make();
    ended.end();
    ended.lose({ kind: 'deadline' });
    ended.jeopardize('late');
    expect([ended.state, ended.isHeld()]).toEqual(['ended', false]);
    expect(told).toEqual(['lost: expired']);
  });
});
