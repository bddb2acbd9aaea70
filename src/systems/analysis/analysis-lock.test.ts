import { describe, expect, it } from 'vitest';
import { type AnalysisLock, decideLock, decideRefresh, decideUnlock, endOf, isMalformed } from './analysis-lock.ts';

const now = 1_800_000_000_000_000;
const free: AnalysisLock = { owner: undefined, endUs: undefined, heartbeatUs: undefined, token: 0 };
const held: AnalysisLock = { owner: 'a', endUs: now + 1_000_000, heartbeatUs: now, token: now };

describe('the lock of an analysis', () => {
  it('is free without an owner, whatever else is written there', () => {
    const odd = { ...free, endUs: now + 9_000_000, heartbeatUs: now };
    expect(decideLock(odd, { owner: 'b', ttlMs: 1_000 }, now)).toMatchObject({ granted: true, takenFrom: undefined });
  });

  it('is over at its end, not before', () => {
    const ask = (at: number) => decideLock(held, { owner: 'b', ttlMs: 1_000 }, at);
    expect(ask(now + 999_999)).toEqual({ granted: false, holder: 'a', remainingMs: 0.001 });
    expect(ask(now + 1_000_000)).toMatchObject({ granted: true, takenFrom: 'a' });
  });

  it('gives numbers above all before, also when the clock went back', () => {
    const past = decideLock({ ...free, token: now + 5 }, { owner: 'b', ttlMs: 1_000 }, now);
    expect(past.granted && past.lock.token).toBe(now + 6);
  });

  it('an unreadable end counts from the last heartbeat', () => {
    const malformed = { ...held, endUs: undefined };
    expect(isMalformed(malformed)).toBe(true);
    expect(isMalformed(free)).toBe(false);
    expect(endOf(malformed, 1_000)).toBe(now + 1_000_000);
    expect(decideLock(malformed, { owner: 'b', ttlMs: 1_000 }, now + 999_999).granted).toBe(false);
    expect(decideLock(malformed, { owner: 'b', ttlMs: 1_000 }, now + 1_000_000).granted).toBe(true);
    expect(decideLock({ ...malformed, heartbeatUs: undefined }, { owner: 'b', ttlMs: 1_000 }, now).granted).toBe(true);
  });

  it('a name alone is not a grant, but a repeated grant id is', () => {
    expect(decideLock(held, { owner: 'a', ttlMs: 1_000 }, now).granted).toBe(false);
    expect(decideLock(held, { owner: 'a', ttlMs: 1_000, token: now }, now)).toMatchObject({ lock: { token: now } });
    expect(decideLock(held, { owner: 'a', ttlMs: 1_000, repeats: true }, now)).toMatchObject({ lock: { token: now } });
  });

  it('is refreshed and given back by owner and token, and the token stays', () => {
    const mine = { owner: 'a', token: now, ttlMs: 9_000 };
    expect(decideRefresh(held, mine, now + 5)).toMatchObject({ endUs: now + 9_000_005, heartbeatUs: now + 5 });
    expect(decideRefresh(held, { ...mine, token: now - 1 }, now)).toBeUndefined();
    expect(decideRefresh(held, mine, now + 1_000_000)).toBeUndefined();
    expect(decideUnlock(held, { owner: 'b', token: now }, now)).toBeUndefined();
    expect(decideUnlock(held, { owner: 'a', token: now }, now)).toEqual({ ...free, token: now });
  });
});
