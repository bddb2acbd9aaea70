import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isLive } from './is-live.ts';
import { decodeRecord, emptyRecord, encodeSlot, type LockRecord, slotBytes } from './lock-record.ts';
import { type AcquireQuery, decideAcquire, decideRelease, decideRenew, decideUse } from './record-rules.ts';

const held: LockRecord = {
  ...emptyRecord,
  n: 3,
  token: 12,
  first: 10,
  leaseId: 'mine',
  ownerId: 'a',
  strategy: 'file-lock',
  ttlMs: 30_000,
  expiresAt: 100_000,
};
const query: AcquireQuery = {
  leaseId: 'new',
  ownerId: 'b',
  strategy: 'file-lock',
  ttlMs: 25_000,
  block: 1,
};

describe('two slots', () => {
  const record = fc
    .record({
      n: fc.nat(),
      token: fc.nat(),
      leaseId: fc.option(fc.uuid()),
      ownerId: fc.string({ maxLength: 20 }),
      ttlMs: fc.integer({ min: 0, max: 86_400_000 }),
      expiresAt: fc.nat(),
    })
    .map((part): LockRecord => ({ ...emptyRecord, ...part, first: part.token }));

  it('what was written is read', () => {
    fc.assert(
      fc.property(record, (written) => {
        const slot = encodeSlot(written);
        expect(slot).toHaveLength(slotBytes);
        expect(decodeRecord(slot)).toEqual(written);
      }),
    );
  });

  it('a torn write leaves the one before', () => {
    fc.assert(
      fc.property(record, fc.nat({ max: slotBytes - 1 }), fc.integer({ min: 1, max: 255 }), (written, at, change) => {
        const older = { ...written, n: 4 };
        const newer = { ...written, n: 5, token: older.token + 1 };
        const bytes = new Uint8Array(2 * slotBytes);
        bytes.set(encodeSlot(older), 0);
        bytes.set(encodeSlot(newer), slotBytes);
        expect(decodeRecord(bytes).n).toBe(5);
        const position = slotBytes + at;
        const before = bytes[position] ?? 0;
        bytes[position] = (before + change) % 256;
        // White space between the parts may change without harm.
        expect([older, newer]).toContainEqual(decodeRecord(bytes));
      }),
    );
  });

  it.each([
    { what: 'a token that could not be counted on', change: { token: 2 ** 52, first: 2 ** 52 } },
    { what: 'a block that begins after its end', change: { first: 20 } },
    { what: 'a lease of years', change: { ttlMs: 1e12 } },
    { what: 'half milliseconds', change: { expiresAt: 1.5 } },
    { what: 'a negative count', change: { n: -1 } },
  ])('is not believed with $what', ({ change }) => {
    expect(decodeRecord(encodeSlot({ ...held, ...change }))).toEqual({ ...emptyRecord, n: -1 });
  });

  it('an empty file is not torn', () => {
    expect(decodeRecord(new Uint8Array())).toEqual(emptyRecord);
  });
});

describe('acquire', () => {
  it('needs a record that is free or over', () => {
    expect(decideAcquire(held, query, 99_999)).toBe('fallback-conflict');
    expect(decideAcquire(held, query, 100_000)).toMatchObject({ token: 13, first: 13, leaseId: 'new' });
    expect(decideAcquire({ ...held, leaseId: null }, query, 0)).toMatchObject({ token: 13 });
  });

  it('with the gate takes a web-lock record over, and never a file-lock one', () => {
    const gate = { ...query, strategy: 'web-lock' } as const;
    expect(decideAcquire({ ...held, strategy: 'web-lock' }, gate, 90_000)).toMatchObject({ token: 13 });
    expect(decideAcquire({ ...held, strategy: 'web-lock' }, query, 90_000)).toBe('fallback-conflict');
    expect(decideAcquire(held, gate, 90_000)).toBe('fallback-conflict');
  });

  it('a grant takes nothing from the holder before it but the token and the last steal', () => {
    const before = { ...held, presence: true, stolenAt: 7 };
    expect(decideAcquire(before, query, 100_000)).toEqual({
      n: 3,
      token: 13,
      first: 13,
      leaseId: 'new',
      ownerId: 'b',
      strategy: 'file-lock',
      ttlMs: 25_000,
      acquiredAt: 100_000,
      expiresAt: 125_000,
      stolenAt: 7,
    });
  });

  it('a judgement is about one record, and void after any write', () => {
    expect(decideAcquire(held, { ...query, over: 3 }, 90_000)).toMatchObject({ token: 13 });
    expect(decideAcquire(held, { ...query, over: 2 }, 90_000)).toBe('fallback-conflict');
  });

  it('reserves a block', () => {
    expect(decideAcquire(held, { ...query, block: 1000 }, 100_000)).toMatchObject({ first: 13, token: 1012 });
  });

  it('where no record was, or none can be read, wants a judgement, and goes above the floor and the clock', () => {
    const torn = { ...emptyRecord, n: -1 };
    const byGate = { ...query, strategy: 'web-lock' } as const;
    for (const asked of [query, byGate, { ...query, floor: 500 }]) {
      expect(decideAcquire(emptyRecord, asked, 0)).toBe('fallback-conflict');
      expect(decideAcquire(torn, asked, 0)).toBe('fallback-read-failed');
      // A judgement about the one says nothing about the other.
      expect(decideAcquire(torn, { ...asked, over: 0 }, 0)).toBe('fallback-read-failed');
    }
    expect(decideAcquire(emptyRecord, { ...query, over: 0, floor: 5000 }, 4)).toMatchObject({
      first: 5001,
      token: 5001,
    });
    expect(decideAcquire(torn, { ...query, over: -1, floor: 5000 }, 6)).toMatchObject({ first: 6001, token: 6001 });
  });

  it('asked again under the same id: the same grant', () => {
    const again = decideAcquire(held, { ...query, leaseId: 'mine' }, 90_000);
    expect(again).toMatchObject({ first: 10, token: 12, expiresAt: 115_000 });
  });

  it('overrules without the gate only what was judged, and keeps the time', () => {
    const steal = { ...query, strategy: 'web-lock', steal: true } as const;
    const byGate = { ...held, strategy: 'web-lock' } as const;
    expect(decideAcquire(byGate, steal, 90_000)).toBe('fallback-conflict');
    expect(decideAcquire(byGate, { ...steal, over: 3 }, 90_000)).toMatchObject({ token: 13, stolenAt: 90_000 });
    expect(decideAcquire({ ...held, stolenAt: 7 }, { ...query, over: 3 }, 90_000)).toMatchObject({ stolenAt: 7 });
  });
});

describe('a record from the future', () => {
  it('is over after one TTL of observation, not before', () => {
    const far = { ...held, expiresAt: 10_000_000 };
    expect(isLive(far, 0)).toBe(true);
    expect(isLive(far, 0, 29_999)).toBe(true);
    expect(isLive(far, 0, 30_000)).toBe(false);
  });

  it('within its TTL goes by its own end', () => {
    expect(isLive({ ...held, expiresAt: 31_000 }, 0, 1e9)).toBe(true);
  });
});

describe('holders', () => {
  const mine = { leaseId: 'mine', token: 11 };

  it.each([
    { what: 'another lease', claim: { leaseId: 'other', token: 11 } },
    { what: 'a token below the block', claim: { leaseId: 'mine', token: 9 } },
    { what: 'a token above the block', claim: { leaseId: 'mine', token: 13 } },
  ])('$what is stale', ({ claim }) => {
    expect(decideUse(held, claim, 0)).toBe('lease-stale');
    expect(decideRenew(held, claim, 1, 0, true)).toBe('lease-stale');
    expect(decideRelease(held, claim, false)).toBe('lease-stale');
  });

  it('use and renew end with the lease, unless the clock jumped', () => {
    expect(decideUse(held, mine, 99_999)).toBeUndefined();
    expect(decideUse(held, mine, 100_000)).toBe('lease-expired');
    expect(decideRenew(held, mine, 5000, 100_000, false)).toBe('lease-expired');
    expect(decideRenew(held, mine, 5000, 100_000, true)).toMatchObject({ expiresAt: 105_000, ttlMs: 5000 });
  });

  it('release keeps the token, twice is nothing, force is for anybody', () => {
    const free = decideRelease(held, mine, false) as LockRecord;
    expect(free).toMatchObject({ leaseId: null, token: 12 });
    expect(decideRelease(free, mine, false)).toBeUndefined();
    expect(decideRelease(held, { leaseId: 'x', token: 0 }, true)).toMatchObject({ leaseId: null, token: 12 });
  });
});
