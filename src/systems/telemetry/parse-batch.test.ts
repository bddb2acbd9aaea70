import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseBatch } from './parse-batch.ts';

const head = { id: 'batch-0001', session: 'session-0001', phase: 'B-0', sentAtMs: 1_000_000 };
const acquired = { name: 'autosave.lock.acquired', atMs: 999_000, strategy: 'web-lock', durationMs: 12 };

describe('parseBatch', () => {
  it('takes an event with its age', () => {
    expect(parseBatch({ ...head, events: [acquired] })).toEqual({
      ok: true,
      id: head.id,
      session: head.session,
      phase: 'B-0',
      events: [{ number: 0, ageMs: 1000, name: acquired.name, strategy: 'web-lock', durationMs: 12 }],
      refused: [],
    });
  });

  it('refuses a wrong event alone, by its number, without repeating what it held', () => {
    const secret = 'my-unsaved-sentence';
    const batch = parseBatch({
      ...head,
      events: [
        { ...acquired, [secret]: 1 },
        { ...acquired, reason: secret },
        acquired,
        { name: secret, atMs: 0 },
        null,
      ],
    });
    expect(batch).toMatchObject({
      ok: true,
      events: [{ number: 2 }],
      refused: [
        { number: 0, reason: 'has a field that is not known' },
        { number: 1, reason: 'reason: invalid_value' },
        { number: 3, reason: 'name: invalid_value' },
        { number: 4, reason: 'the whole: invalid_type' },
      ],
    });
    expect(JSON.stringify(batch)).not.toContain(secret);
  });

  it.each([
    ['no events', { ...head, events: [] }],
    ['101 events', { ...head, events: Array.from({ length: 101 }, () => acquired) }],
    ['an unknown phase', { ...head, phase: 'Z-9', events: [acquired] }],
    ['an id with a path in it', { ...head, id: '../../etc/passwd', events: [acquired] }],
    ['a further field', { ...head, document: 'text', events: [acquired] }],
    ['no object', 'hello'],
    ['null', null],
  ])('refuses everything for %s', (_, body) => {
    expect(parseBatch(body)).toMatchObject({ ok: false });
  });

  it('dates an event neither into the future nor far into the past when a clock jumped', () => {
    const ages = [2_000_000, -1, 1_000_000].map((atMs) => {
      const batch = parseBatch({ ...head, sentAtMs: 1_000_000, events: [{ ...acquired, atMs: Math.max(atMs, 0) }] });
      return batch.ok ? batch.events[0]?.ageMs : batch.reason;
    });
    expect(ages).toEqual([0, 1_000_000, 0]);
    const old = parseBatch({ ...head, sentAtMs: 1e12, events: [{ ...acquired, atMs: 0 }] });
    expect(old).toMatchObject({ ok: true, events: [{ ageMs: 86_400_000 }] });
  });

  it('never throws, whatever it is given', () => {
    fc.assert(fc.property(fc.anything({ withBigInt: true, withNullPrototype: true }), (body) => void parseBatch(body)));
    fc.assert(fc.property(fc.array(fc.anything(), { maxLength: 5 }), (events) => void parseBatch({ ...head, events })));
  });
});
