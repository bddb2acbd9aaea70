import { describe, expect, it } from 'vitest';
import type { LeaseOperation } from '../../src/testing/lease-operation.ts';
import { checkHistory } from '../../src/testing/linearizability.ts';
import { broken, granted, left, refused, released, renewed, told, unanswered } from './tell-history.ts';

const goodHistories: Readonly<Record<string, readonly LeaseOperation[]>> = {
  'nothing happened': [],
  'granted, renewed, released, granted again': [
    granted('a', 1, { at: 0, until: 10 }),
    refused('b', { at: 20, until: 30 }, { holder: 'a', token: 10 }),
    renewed('a', 10, { at: 900, until: 910 }, true),
    refused('b', { at: 1500, until: 1510 }, { holder: 'a', token: 10 }),
    released('a', 10, { at: 1520, until: 1530 }, true),
    granted('b', 11, { at: 1540, until: 1550 }),
  ],
  'taken over at the end': [
    granted('a', 1, { at: 0, until: 10 }),
    granted('b', 11, { at: 1000, until: 1010 }),
    renewed('a', 10, { at: 1020, until: 1030 }, false),
    released('a', 10, { at: 1040, until: 1050 }, false),
  ],
  'the end lies inside the intervals: either answer is right': [
    granted('a', 1, { at: 0, until: 100 }),
    refused('b', { at: 1050, until: 1060 }),
    granted('c', 11, { at: 1055, until: 1070 }),
  ],
  'two at once, one granted': [
    granted('a', 1, { at: 0, until: 50 }),
    refused('b', { at: 0, until: 10 }, { holder: 'a' }),
  ],
  'a refusal overlaps the release': [
    granted('a', 1, { at: 0, until: 10 }),
    released('a', 10, { at: 20, until: 60 }, true),
    refused('b', { at: 30, until: 50 }, { holder: 'a' }),
  ],
  'a release overlaps the next grant': [
    granted('a', 1, { at: 0, until: 10 }),
    released('a', 10, { at: 20, until: 60 }, true),
    granted('b', 11, { at: 30, until: 40 }),
    refused('c', { at: 45, until: 50 }, { holder: 'b', token: 20 }),
  ],
  'a late answer of an early refusal': [
    granted('a', 1, { at: 0, until: 10 }),
    refused('b', { at: 20, until: 5000 }, { holder: 'a' }),
    released('a', 10, { at: 30, until: 40 }, true),
    granted('c', 11, { at: 50, until: 60 }),
  ],
  'the reply was lost, the same grant id asked again': [
    unanswered('a', { at: 0 }),
    granted('a', 10, { at: 500, until: 510 }, { lastToken: 10 }),
    refused('b', { at: 1400, until: 1410 }, { holder: 'a', token: 10 }),
    granted('b', 11, { at: 1520, until: 1530 }),
  ],
  'the request was lost': [unanswered('a', { at: 0 }), granted('b', 1, { at: 10, until: 20 })],
  'an unanswered request explains a refusal': [
    unanswered('a', { at: 0 }),
    refused('b', { at: 500, until: 510 }, { holder: 'a', token: 77 }),
    renewed('a', 77, { at: 600, until: 610 }, true),
  ],
  'an unanswered release happened, much later': [
    granted('a', 1, { at: 0, until: 10 }),
    released('a', 10, { at: 20 }),
    refused('b', { at: 30, until: 40 }, { holder: 'a' }),
    granted('c', 11, { at: 50, until: 60 }),
  ],
  'an unanswered renewal explains a late refusal': [
    granted('a', 1, { at: 0, until: 10 }),
    renewed('a', 10, { at: 900 }),
    refused('b', { at: 1500, until: 1510 }, { holder: 'a' }),
  ],
  'handed over to the first in line': [
    granted('a', 1, { at: 0, until: 10 }),
    refused('b', { at: 20, until: 30 }, { inLine: true, token: 10 }),
    refused('c', { at: 40, until: 50 }, { inLine: true, token: 10 }),
    released('a', 10, { at: 60, until: 70 }, true),
    told('b', 11, 200),
    renewed('b', 20, { at: 210, until: 220 }, true),
    released('b', 20, { at: 230, until: 240 }, true),
    told('c', 21, 900),
    granted('c', 30, { at: 250, until: 260 }, { lastToken: 30 }),
  ],
  'a waiter left, the next was served': [
    granted('a', 1, { at: 0, until: 10 }),
    refused('b', { at: 20, until: 30 }, { inLine: true }),
    refused('c', { at: 40, until: 50 }, { inLine: true }),
    left('b', { at: 60, until: 70 }, true),
    left('b', { at: 80, until: 90 }, false),
    released('a', 10, { at: 100, until: 110 }, true),
    told('c', 11, 120),
  ],
  'it gave up while the grant was on its way': [
    granted('a', 1, { at: 0, until: 10 }),
    refused('b', { at: 20, until: 30 }, { inLine: true }),
    released('a', 10, { at: 40, until: 50 }, true),
    left('b', { at: 60, until: 70 }, false),
    released('b', null, { at: 80, until: 90 }, true),
    granted('c', 30, { at: 100, until: 110 }),
  ],
  'the heir did not renew: its short grant ended': [
    granted('a', 1, { at: 0, until: 10 }),
    refused('b', { at: 20, until: 30 }, { inLine: true }),
    released('a', 10, { at: 40, until: 50 }, true),
    granted('c', 30, { at: 545, until: 550 }),
  ],
  'broken by an operator': [
    granted('a', 1, { at: 0, until: 10 }),
    broken({ at: 20, until: 30 }, 11),
    renewed('a', 10, { at: 40, until: 50 }, false),
    released('a', 10, { at: 60, until: 70 }, false),
    broken({ at: 80, until: 90 }, false),
    granted('b', 12, { at: 100, until: 110 }),
  ],
  'broken with a line: the first in line has it': [
    granted('a', 1, { at: 0, until: 10 }),
    refused('b', { at: 20, until: 30 }, { inLine: true }),
    broken({ at: 40, until: 50 }, 25),
    told('b', 16, 60, 25),
    refused('c', { at: 70, until: 80 }, { holder: 'b', token: 25 }),
  ],
};

describe('good histories are accepted', () => {
  for (const [name, history] of Object.entries(goodHistories)) {
    it(name, () => {
      expect(checkHistory(history)).toMatchObject({ ok: true });
      expect(checkHistory([...history].reverse()), 'the order of telling does not matter').toMatchObject({ ok: true });
    });
  }

  it('gives up rather than answering wrongly', () => {
    const many = Array.from({ length: 12 }, (_, i) => unanswered(`u${i}`, { at: 0 }));
    const impossible = refused('b', { at: 50, until: 60 }, { holder: 'nobody we know' });
    expect(checkHistory([...many, impossible], { statesMax: 50 })).toMatchObject({
      ok: false,
      reason: expect.stringMatching(/undecided after 51 states/),
    });
    expect(checkHistory([...many.slice(0, 2), impossible])).toMatchObject({
      ok: false,
      reason: expect.stringMatching(/^acquire by b, answered at 60: /),
    });
  });

  it('takes about one step per operation', () => {
    const history = Array.from({ length: 300 }, (_, i) => [
      granted(`a${i}`, i * 10 + 1, { at: i * 100, until: i * 100 + 30 }),
      refused(`b${i}`, { at: i * 100, until: i * 100 + 60 }),
      refused(`c${i}`, { at: i * 100 + 5, until: i * 100 + 55 }),
      released(`a${i}`, i * 10 + 10, { at: i * 100 + 40, until: i * 100 + 70 }, true),
    ]).flat();
    const result = checkHistory(history);
    expect(result).toMatchObject({ ok: true, operations: 1200 });
    if (result.ok) expect(result.states).toBeLessThan(3 * history.length);
  });
});
