import { describe, expect, it } from 'vitest';
import type { LeaseOperation } from '../../src/testing/lease-operation.ts';
import { checkHistory } from '../../src/testing/linearizability.ts';
import { broken, granted, left, refused, released, renewed, told, unanswered } from './tell-history.ts';

/** Grants are of 1,000 ms with numbers n to n + 9; `until` of the last operation is where it must fail. */
const badHistories: Readonly<Record<string, { readonly history: readonly LeaseOperation[]; readonly reason: RegExp }>> =
  {
    'two grants overlap': {
      history: [granted('a', 1, { at: 0, until: 10 }), granted('b', 20, { at: 20, until: 30 })],
      reason: /granted although the lease of a was in force/,
    },
    'two overlapping calls are both granted': {
      history: [granted('a', 1, { at: 0, until: 50 }), granted('b', 20, { at: 0, until: 60 })],
      reason: /in force/,
    },
    'a grant just before the end': {
      history: [granted('a', 1, { at: 0, until: 100 }), granted('b', 20, { at: 900, until: 998 })],
      reason: /in force until 1000/,
    },
    'a grant before the end of a renewal': {
      history: [
        granted('a', 1, { at: 0, until: 10 }),
        renewed('a', 10, { at: 800, until: 810 }, true),
        granted('b', 20, { at: 1200, until: 1300 }),
      ],
      reason: /in force until 1800/,
    },
    'a renewal that shortened': {
      history: [
        granted('a', 1, { at: 0, until: 10 }, { ttlMs: 5000 }),
        renewed('a', 10, { at: 100, until: 110 }, true),
        granted('b', 20, { at: 2000, until: 2010 }),
      ],
      reason: /in force until 5000/,
    },
    'a renewal that revived after another was granted': {
      history: [
        granted('a', 1, { at: 0, until: 10 }),
        granted('b', 20, { at: 1100, until: 1110 }),
        renewed('a', 10, { at: 1120, until: 1130 }, true),
      ],
      reason: /renewed although b held/,
    },
    'a renewal that revived an ended lease nobody had taken': {
      history: [granted('a', 1, { at: 0, until: 10 }), renewed('a', 10, { at: 1100, until: 1110 }, true)],
      reason: /had ended by 1010/,
    },
    'a renewal after the release': {
      history: [
        granted('a', 1, { at: 0, until: 10 }),
        released('a', 10, { at: 20, until: 30 }, true),
        renewed('a', 10, { at: 40, until: 50 }, true),
      ],
      reason: /nobody held/,
    },
    'a renewal with an older number': {
      history: [granted('a', 1, { at: 0, until: 10 }), renewed('a', 9, { at: 20, until: 30 }, true)],
      reason: /renewed although a held the lease with number 10/,
    },
    'a renewal of a stranger': {
      history: [granted('a', 1, { at: 0, until: 10 }), renewed('b', 10, { at: 20, until: 30 }, true)],
      reason: /renewed although a held/,
    },
    'a renewal refused while in force': {
      history: [granted('a', 1, { at: 0, until: 10 }), renewed('a', 10, { at: 20, until: 30 }, false)],
      reason: /refused although it was in force/,
    },
    'a number given twice': {
      history: [
        granted('a', 1, { at: 0, until: 10 }),
        released('a', 10, { at: 20, until: 30 }, true),
        granted('b', 1, { at: 40, until: 50 }),
      ],
      reason: /number 1 was given out although 10/,
    },
    'a number out of the middle of an older block': {
      history: [
        granted('a', 1, { at: 0, until: 10 }),
        released('a', 10, { at: 20, until: 30 }, true),
        granted('b', 5, { at: 40, until: 50 }),
      ],
      reason: /number 5 was given out/,
    },
    'numbers that go back': {
      history: [granted('a', 100, { at: 0, until: 10 }), granted('b', 50, { at: 1100, until: 1110 })],
      reason: /number 50 was given out although 109/,
    },
    'a block that ends before it begins': {
      history: [granted('a', 5, { at: 0, until: 10 }, { lastToken: 4 })],
      reason: /ends \(4\) before it begins/,
    },
    'another number for the same grant id': {
      history: [granted('a', 1, { at: 0, until: 10 }), granted('a', 20, { at: 20, until: 30 })],
      reason: /same grant id was given number 29/,
    },
    'a stranger released it': {
      history: [granted('a', 1, { at: 0, until: 10 }), released('b', 10, { at: 20, until: 30 }, true)],
      reason: /released although a held/,
    },
    'a release with an older number': {
      history: [granted('a', 1, { at: 0, until: 10 }), released('a', 9, { at: 20, until: 30 }, true)],
      reason: /released although a held/,
    },
    'released twice': {
      history: [
        granted('a', 1, { at: 0, until: 10 }),
        released('a', 10, { at: 20, until: 30 }, true),
        released('a', 10, { at: 40, until: 50 }, true),
      ],
      reason: /nobody held/,
    },
    'a release refused to its holder': {
      history: [granted('a', 1, { at: 0, until: 10 }), released('a', 10, { at: 20, until: 30 }, false)],
      reason: /release was refused/,
    },
    'refused although nobody ever held it': {
      history: [refused('a', { at: 0, until: 10 })],
      reason: /nobody held/,
    },
    'refused after the release': {
      history: [
        granted('a', 1, { at: 0, until: 10 }),
        released('a', 10, { at: 20, until: 30 }, true),
        refused('b', { at: 40, until: 50 }),
      ],
      reason: /nobody held/,
    },
    'refused after the end': {
      history: [granted('a', 1, { at: 0, until: 10 }), refused('b', { at: 1100, until: 1110 })],
      reason: /had ended by 1010/,
    },
    'refused in the name of somebody else': {
      history: [granted('a', 1, { at: 0, until: 10 }), refused('b', { at: 20, until: 30 }, { holder: 'c' })],
      reason: /in the name of c/,
    },
    'refused with a number that is not the holder’s': {
      history: [granted('a', 1, { at: 0, until: 10 }), refused('b', { at: 20, until: 30 }, { token: 9 })],
      reason: /refused with number 9/,
    },
    'refused to its own holder': {
      history: [granted('a', 1, { at: 0, until: 10 }), refused('a', { at: 20, until: 30 })],
      reason: /held the lease itself/,
    },
    'seen held by one that could only have it later': {
      history: [
        granted('a', 1, { at: 0, until: 10 }),
        granted('b', 20, { at: 0, until: 2000 }),
        refused('c', { at: 100, until: 200 }, { holder: 'b' }),
      ],
      reason: /in the name of b|answered before|in force/,
    },
    'a release skipped the first in line': {
      history: [
        granted('a', 1, { at: 0, until: 10 }),
        refused('b', { at: 20, until: 30 }, { inLine: true }),
        refused('c', { at: 40, until: 50 }, { inLine: true }),
        released('a', 10, { at: 60, until: 70 }, true),
        told('c', 20, 80),
      ],
      reason: /told of a grant although b held/,
    },
    'a release forgot the line': {
      history: [
        granted('a', 1, { at: 0, until: 10 }),
        refused('b', { at: 20, until: 30 }, { inLine: true }),
        released('a', 10, { at: 40, until: 50 }, true),
        granted('c', 20, { at: 60, until: 70 }),
      ],
      reason: /granted although the lease of b was in force/,
    },
    'a notice with a used number': {
      history: [
        granted('a', 1, { at: 0, until: 10 }),
        refused('b', { at: 20, until: 30 }, { inLine: true }),
        released('a', 10, { at: 40, until: 50 }, true),
        told('b', 8, 60),
      ],
      reason: /told of number 8/,
    },
    'a notice for one who had left': {
      history: [
        granted('a', 1, { at: 0, until: 10 }),
        refused('b', { at: 20, until: 30 }, { inLine: true }),
        left('b', { at: 40, until: 50 }, true),
        released('a', 10, { at: 60, until: 70 }, true),
        told('b', 20, 80),
      ],
      reason: /told of a grant although/,
    },
    'left a line it did not stand in': {
      history: [granted('a', 1, { at: 0, until: 10 }), left('b', { at: 20, until: 30 }, true)],
      reason: /did not stand in/,
    },
    'could not leave its line': {
      history: [
        granted('a', 1, { at: 0, until: 10 }),
        refused('b', { at: 20, until: 30 }, { inLine: true }),
        left('b', { at: 40, until: 50 }, false),
      ],
      reason: /could not leave/,
    },
    'a broken lease was renewed': {
      history: [
        granted('a', 1, { at: 0, until: 10 }),
        broken({ at: 20, until: 30 }, 11),
        renewed('a', 10, { at: 40, until: 50 }, true),
      ],
      reason: /nobody held/,
    },
    'breaking did not raise the number': {
      history: [granted('a', 1, { at: 0, until: 10 }), broken({ at: 20, until: 30 }, 10)],
      reason: /breaking gave number 10 after 10/,
    },
    'a grant below the number of a break': {
      history: [
        granted('a', 1, { at: 0, until: 10 }),
        broken({ at: 20, until: 30 }, 50),
        granted('b', 40, { at: 40, until: 50 }),
      ],
      reason: /number 40 was given out although 50/,
    },
    'broke what nobody held': {
      history: [broken({ at: 0, until: 10 }, 5)],
      reason: /nobody held/,
    },
    'nothing broken although it was held': {
      history: [granted('a', 1, { at: 0, until: 10 }), broken({ at: 20, until: 30 }, false)],
      reason: /nothing was broken/,
    },
    'an unanswered release cannot explain two owners': {
      history: [
        granted('a', 1, { at: 0, until: 10 }),
        released('a', 10, { at: 20 }),
        granted('b', 20, { at: 30, until: 40 }),
        renewed('a', 10, { at: 50, until: 60 }, true),
      ],
      reason: /renewed although b held/,
    },
    'an unanswered request cannot explain a later owner’s number': {
      history: [
        unanswered('a', { at: 0 }),
        granted('b', 5, { at: 1100, until: 1110 }),
        renewed('a', 4, { at: 1120, until: 1130 }, true),
      ],
      reason: /renewed although/,
    },
  };

describe('bad histories are rejected', () => {
  it('there are plenty of them', () => {
    expect(Object.keys(badHistories).length).toBeGreaterThanOrEqual(20);
  });

  for (const [name, { history, reason }] of Object.entries(badHistories)) {
    it(name, () => {
      const result = checkHistory(history);
      expect(result).toMatchObject({ ok: false, key: 'k' });
      if (result.ok) return;
      expect(result.reason).toMatch(reason);
      expect(result.prefix).toContain(history.at(-1));
    });

    it(`${name}: found among good operations before, after and on other keys`, () => {
      const shift = 10_000;
      const noise = [granted('x', 1, { at: -9000, until: -8990 }, { lastToken: 1, ttlMs: 50 })].map((operation) => ({
        ...operation,
        key: 'other',
      }));
      const later = [granted('z', 1_000_000, { at: shift, until: shift + 10 })];
      const result = checkHistory([...later, ...noise, ...history]);
      expect(result).toMatchObject({ ok: false, key: 'k' });
      if (!result.ok) expect(result.prefix.length).toBeLessThanOrEqual(history.length);
    });
  }
});
