import { describe, expect, it } from 'vitest';
import type { Alert } from '../check-alerts.ts';
import { alertConditions } from '../sql/alert-conditions.ts';
import { alertNotice } from './alert-notice.ts';
import { alertWords } from './alert-words.ts';

const alert = (overrides: Partial<Alert> = {}): Alert => ({
  id: 7,
  rule: 'refund-manual',
  subject: 'reservation:41',
  level: 'critical',
  details: { refundId: 9, problem: 'charge_expired', nothing: null },
  openedAtMs: 1,
  closedAtMs: null,
  ...overrides,
});

it('says what happened and what is left to do, under an id of its own', () => {
  expect(alertNotice(alert())).toEqual({
    id: 'kannuki-reservations-alert-7',
    severity: 'critical',
    state: 'open',
    title: 'Refund parked: reservation:41.',
    text: 'The provider refused it (charge_expired). It will not be tried again, and cannot be paid twice.',
    fields: { rule: 'refund-manual', subject: 'reservation:41', refundId: '9', problem: 'charge_expired' },
  });
  expect(alertNotice(alert({ closedAtMs: 2 }), 'ja')).toMatchObject({
    state: 'closed',
    title: '返金が保留中：reservation:41。',
    text: expect.stringContaining('二重に返金されることもありません'),
  });
});

it('tells a rule without words by its name', () => {
  expect(alertNotice(alert({ rule: 'new-rule' }))).toMatchObject({ title: 'new-rule: reservation:41', text: '' });
});

/** Every word in quotes that stands first in a row of conditions, or in the list of rules about one moment. */
const statement = alertConditions('s');
const first = [...statement.matchAll(/select (?:distinct )?'([a-z-]+)'/g)].map((match) => match[1] ?? '');
const moments = [...(/rule in \(([^)]*)\)/.exec(statement)?.[1] ?? '').matchAll(/'([a-z-]+)'/g)].map(
  (match) => match[1] ?? '',
);

describe.each([...first, ...moments])('%s', (rule) => {
  it.each(['en', 'ja'] as const)('has words in %s, with details and without', (locale) => {
    expect(alertWords).toHaveProperty([rule]);
    for (const details of [{}, { count: 5, title: 'Film', why: 'gone', error: 'lost', problem: 'x', event: 'paid' }]) {
      const { title, text } = alertNotice(alert({ rule, details }), locale);
      expect(`${title} ${text}`).not.toMatch(/undefined|null|\(\)|（）|!|！/);
      expect(text).toMatch(/[.。）)]$/);
    }
  });
});

it('knows the rules of the seed', () => {
  expect(first).toEqual(expect.arrayContaining(['expiry-refunds', 'render-refund', 'refund-manual', 'render-manual']));
  expect(moments).toContain('unruled');
});
