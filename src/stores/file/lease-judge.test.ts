import { describe, expect, it } from 'vitest';
import { unknownBoot } from '../../platform/boot-clock.ts';
import { leaseJudge } from './lease-judge.ts';
import type { Term } from './lease-name.ts';

const second = 1_000_000;
const term: Term = {
  owner: 'a.1@x',
  token: 5,
  endUs: 100 * second,
  ttlMs: 10_000,
  boot: 'aaaaaaaa',
  process: '0',
};

function setup({ bootId = 'aaaaaaaa', shared = false }: { bootId?: string; shared?: boolean } = {}) {
  return leaseJudge({ boot: { bootId, nowUs: () => 0 }, releaseOnCrash: true, isShared: () => shared });
}

describe('leaseJudge', () => {
  it('ends a term of this boot at its end', () => {
    const judge = setup();
    expect(judge.remainingUs('k', term, 95 * second)).toBe(5 * second);
    expect(judge.remainingUs('k', term, 100 * second)).toBe(0);
    expect(judge.remainingUs('k', term, 101 * second)).toBe(-second);
  });

  it('calls a holder of another boot gone at once on a local disk', () => {
    expect(setup({ bootId: 'bbbbbbbb' }).remainingUs('k', term, 95 * second)).toBeUndefined();
  });

  it('waits one TTL of its own clock for another boot on a network disk, anew after each renewal', () => {
    const judge = setup({ bootId: 'bbbbbbbb', shared: true });
    expect(judge.remainingUs('k', term, 1_000 * second)).toBe(10 * second);
    expect(judge.remainingUs('k', term, 1_009 * second)).toBe(second);
    const renewed = { ...term, endUs: 109 * second };
    expect(judge.remainingUs('k', renewed, 1_009 * second)).toBe(10 * second);
    expect(judge.remainingUs('k', renewed, 1_019 * second)).toBe(0);
    expect(judge.remainingUs('other', term, 1_019 * second)).toBe(10 * second);
  });

  it('waits for another boot when it does not know its own', () => {
    expect(setup({ bootId: unknownBoot }).remainingUs('k', term, 95 * second)).toBe(10 * second);
  });

  it('notices without a boot id that the machine was started anew: the term was written in the future', () => {
    const judge = setup({ bootId: unknownBoot });
    const ours = { ...term, boot: unknownBoot };
    expect(judge.remainingUs('k', ours, 95 * second)).toBe(5 * second);
    expect(judge.remainingUs('k', ours, 90 * second)).toBe(10 * second);
    expect(judge.remainingUs('k', ours, 80 * second)).toBeUndefined();
  });
});
