import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  dateNotice,
  decideAcquire,
  decideBreak,
  decideClaim,
  decideLeave,
  decideRelease,
  decideRenew,
  emptyRecord,
  type LeaseRecord,
  nextInBlock,
  nextNumbers,
} from './lease.ts';
import { limits } from './limits.ts';

const now = 1_000_000_000;
const ttlMs = 1_000;

function take(
  record: LeaseRecord,
  owner: string,
  atUs = now,
  options: { line?: boolean; share?: { weight: number; capacity: number } } = {},
) {
  return decideAcquire(
    record,
    { owner, ttlMs, line: options.line ?? false, ...(options.share && { share: options.share }) },
    atUs,
  );
}

describe('nextNumbers', () => {
  it('takes a block from the clock', () => {
    expect(nextNumbers(5, now)).toEqual({ token: now, lastToken: now + limits.tokenBlock - 1 });
  });

  it('gives a single number while tokens are at or ahead of the clock', () => {
    expect(nextNumbers(now, now)).toEqual({ token: now + 1, lastToken: now + 1 });
    expect(nextNumbers(now + 10, now)).toEqual({ token: now + 11, lastToken: now + 11 });
  });

  it('never gives a number twice, whatever the clock does', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 500 }), { maxLength: 50 }), (clock) => {
        let last = 0;
        for (const at of clock) {
          const numbers = nextNumbers(last, at);
          expect(numbers.token).toBeGreaterThan(last);
          expect(numbers.lastToken).toBeGreaterThanOrEqual(numbers.token);
          last = numbers.lastToken;
        }
      }),
    );
  });
});

describe('decideAcquire', () => {
  it('grants a free key for the TTL', () => {
    const decision = take(emptyRecord, 'a');
    expect(decision).toMatchObject({ granted: true, numbers: { token: now } });
    expect(decision.record.holders).toEqual([{ owner: 'a', token: decision.record.token, endUs: now + ttlMs * 1000 }]);
  });

  it('refuses until the very end, and grants at it', () => {
    const held = take(emptyRecord, 'a').record;
    const endUs = now + ttlMs * 1000;
    expect(take(held, 'b', endUs - 1)).toMatchObject({ granted: false, holder: { owner: 'a' }, inLine: false });
    expect(take(held, 'b', endUs).granted).toBe(true);
  });

  it('the same grant id again is the same grant, extended, and out of the line', () => {
    const held = take(emptyRecord, 'a').record;
    const again = take({ ...held, line: [{ owner: 'a' }] }, 'a', now + 500_000);
    expect(again).toMatchObject({ granted: true, numbers: { token: held.token, lastToken: held.token } });
    expect(again.record).toEqual({ ...held, holders: [{ ...held.holders[0], endUs: now + 1_500_000 }], line: [] });
    // A repeated request that is executed late must not shorten.
    const longer = decideAcquire(held, { owner: 'a', ttlMs: 1, line: false }, now);
    expect(longer.record.holders[0]?.endUs).toBe(now + ttlMs * 1000);
  });

  it('stands in line once, and not in a full line', () => {
    const held = take(emptyRecord, 'a').record;
    const first = take(held, 'b', now, { line: true });
    expect(first).toMatchObject({ granted: false, inLine: true });
    const again = take(first.record, 'b', now, { line: true });
    expect(again.record.line).toEqual([{ owner: 'b' }]);
    const full = { ...held, line: Array.from({ length: limits.lineMax }, (_, i) => ({ owner: `w${i}` })) };
    expect(take(full, 'b', now, { line: true })).toMatchObject({ granted: false, inLine: false, record: full });
  });

  it('counts weights, and mixes no capacities', () => {
    const two = { weight: 2, capacity: 3 };
    const one = { weight: 1, capacity: 3 };
    const first = take(emptyRecord, 'a', now, { share: two }).record;
    expect(take(first, 'b', now, { share: two }).granted).toBe(false);
    const full = take(first, 'b', now, { share: one });
    expect(full.granted).toBe(true);
    expect(take(full.record, 'c', now, { share: one }).granted).toBe(false);
    expect(take(first, 'c', now, { share: { weight: 1, capacity: 9 } }).granted).toBe(false);
    expect(take(first, 'c').granted).toBe(false);
    expect(full.record.holders.map(({ token }) => token)).toEqual([
      ...new Set(full.record.holders.map(({ token }) => token)),
    ]);
  });

  it('a sharer does not overtake the line while somebody holds, and may once nobody does', () => {
    const read = { weight: 1, capacity: 9 };
    const held = take(emptyRecord, 'a', now, { share: read }).record;
    const line = take(held, 'writer', now, { line: true }).record;
    expect(take(line, 'b', now, { share: read, line: true })).toMatchObject({ granted: false, inLine: true });
    expect(take(line, 'b', now + ttlMs * 1000, { share: read }).granted).toBe(true);
  });
});

describe('pools', () => {
  const share = { weight: 1, capacity: 3 };
  const two = take(take(emptyRecord, 'a', now, { share }).record, 'b', now, { share }).record;
  const tokenOf = (record: LeaseRecord, owner: string): number =>
    record.holders.find((holder) => holder.owner === owner)?.token ?? 0;

  it('what one sharer does leaves the grants of the others as they are', () => {
    const [a, b] = two.holders;
    const later = now + 500_000;
    expect(take(two, 'b', later, { share }).record.holders).toEqual([a, { ...b, endUs: later + ttlMs * 1000 }]);
    expect(decideRenew(two, { owner: 'b', token: tokenOf(two, 'b'), ttlMs }, later)?.holders).toEqual([
      a,
      { ...b, endUs: later + ttlMs * 1000 },
    ]);
    expect(decideRelease(two, { owner: 'b', token: tokenOf(two, 'b'), acceptMs: 1 }, later)?.record.holders).toEqual([
      a,
    ]);
  });

  it('a release passes over grants that have ended: they do not stand in the way of the line', () => {
    const waiting = { ...two, line: [{ owner: 'writer' }] };
    const release = (atUs: number) =>
      decideRelease(waiting, { owner: 'b', token: tokenOf(two, 'b'), acceptMs: 200 }, atUs)?.heirs;
    const endUs = now + ttlMs * 1000;
    expect(release(endUs - 1)).toEqual([]);
    expect(release(endUs)?.map(({ owner }) => owner)).toEqual(['writer']);
  });

  it('one that is free takes the whole capacity at once, and no more than it', () => {
    expect(take(emptyRecord, 'a', now, { share: { weight: 3, capacity: 3 } }).granted).toBe(true);
    expect(take(emptyRecord, 'a', now, { share: { weight: 4, capacity: 3 } }).granted).toBe(false);
  });

  it('a sharer is refused while somebody holds alone', () => {
    expect(take(take(emptyRecord, 'a').record, 'b', now, { share }).granted).toBe(false);
  });

  it('the first in line may pass when there is room, the second may not', () => {
    const line = {
      ...two,
      line: [
        { owner: 'c', share },
        { owner: 'd', share },
      ],
    };
    expect(take(line, 'd', now, { share }).granted).toBe(false);
    const passed = take(line, 'c', now, { share });
    expect(passed.granted).toBe(true);
    expect(passed.record.line).toEqual([{ owner: 'd', share }]);
  });
});

describe('decideRenew', () => {
  const held = take(emptyRecord, 'a').record;

  it('extends only the current grant, by owner and token', () => {
    expect(decideRenew(held, { owner: 'a', token: held.token, ttlMs }, now + 1)?.holders[0]?.endUs).toBe(
      now + 1 + ttlMs * 1000,
    );
    expect(decideRenew(held, { owner: 'b', token: held.token, ttlMs }, now + 1)).toBeUndefined();
    expect(decideRenew(held, { owner: 'a', token: held.token - 1, ttlMs }, now + 1)).toBeUndefined();
  });

  it('never shortens and never revives', () => {
    expect(decideRenew(held, { owner: 'a', token: held.token, ttlMs: 1 }, now)?.holders).toEqual(held.holders);
    expect(decideRenew(held, { owner: 'a', token: held.token, ttlMs }, now + ttlMs * 1000 - 1)).toBeDefined();
    expect(decideRenew(held, { owner: 'a', token: held.token, ttlMs }, now + ttlMs * 1000)).toBeUndefined();
  });
});

describe('decideRelease', () => {
  it('grants to the first in line, for a short time, above every number', () => {
    const held = take(emptyRecord, 'a').record;
    const line = { ...held, line: [{ owner: 'b' }, { owner: 'c' }] };
    const released = decideRelease(line, { owner: 'a', token: held.token, acceptMs: 200 }, now + 1_000);
    expect(released?.heirs).toEqual([
      { owner: 'b', token: now + 1_000, lastToken: now + 1_000 + limits.tokenBlock - 1 },
    ]);
    expect(released?.record.holders).toEqual([{ owner: 'b', token: released?.record.token, endUs: now + 201_000 }]);
    expect(released?.record.line).toEqual([{ owner: 'c' }]);
  });

  it('is refused for any other grant; without a token the grant id decides', () => {
    const held = take(emptyRecord, 'a').record;
    expect(decideRelease(held, { owner: 'b', token: held.token, acceptMs: 1 }, now)).toBeUndefined();
    expect(decideRelease(held, { owner: 'a', token: held.token + 1, acceptMs: 1 }, now)).toBeUndefined();
    expect(decideRelease(held, { owner: 'b', token: null, acceptMs: 1 }, now)).toBeUndefined();
    expect(decideRelease(held, { owner: 'a', token: null, acceptMs: 1 }, now)?.record).toEqual({
      ...held,
      holders: [],
    });
  });

  it('lets as many sharers in as fit, and stops at the first that does not', () => {
    const share = { weight: 1, capacity: 2 };
    const held = take(emptyRecord, 'a').record;
    const line = {
      ...held,
      line: [{ owner: 'b', share }, { owner: 'c', share }, { owner: 'd', share }, { owner: 'e' }],
    };
    const released = decideRelease(line, { owner: 'a', token: held.token, acceptMs: 200 }, now + 1_000);
    expect(released?.heirs.map(({ owner }) => owner)).toEqual(['b', 'c']);
    expect(new Set(released?.heirs.map(({ token }) => token)).size).toBe(2);
    expect(released?.record.line.map(({ owner }) => owner)).toEqual(['d', 'e']);
  });
});

describe('decideLeave, decideBreak, decideClaim', () => {
  it('leaves the line, or says that it does not stand there', () => {
    const record = { ...emptyRecord, line: [{ owner: 'a' }, { owner: 'b' }] };
    expect(decideLeave(record, 'a')?.line).toEqual([{ owner: 'b' }]);
    expect(decideLeave(record, 'c')).toBeUndefined();
  });

  it('a break raises the token, names who was broken and serves the line', () => {
    const held = take(emptyRecord, 'a').record;
    const free = decideBreak(held, 200, now + 1);
    expect(free?.broken.map(({ owner }) => owner)).toEqual(['a']);
    expect(free?.record.holders).toEqual([]);
    expect(free?.record.token).toBeGreaterThan(held.token);
    const heir = decideBreak({ ...held, line: [{ owner: 'b' }] }, 200, now + 1);
    expect(heir?.heirs[0]?.token).toBeGreaterThan(held.token + 1);
    expect(decideBreak(held, 200, now + ttlMs * 1000)).toBeUndefined();
  });

  it('a fence is raised only upwards', () => {
    expect(decideClaim(undefined, 5)).toEqual({ claimed: true, token: 5 });
    expect(decideClaim(5, 5)).toEqual({ claimed: true, token: 5 });
    expect(decideClaim(6, 5)).toEqual({ claimed: false, token: 6 });
  });
});

describe('dateNotice and nextInBlock', () => {
  it('a notice is believed only above the last refusal, and dated by it', () => {
    expect(dateNotice(undefined, 9)).toBeUndefined();
    expect(dateNotice({ token: 9, sentMs: 3 }, 9)).toBeUndefined();
    expect(dateNotice({ token: 8, sentMs: 3 }, 9)).toBe(3);
  });

  it('numbers of a block end with its last', () => {
    expect(nextInBlock(1, 3)).toBe(2);
    expect(nextInBlock(3, 3)).toBeUndefined();
  });
});
