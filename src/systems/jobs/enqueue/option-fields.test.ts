import { describe, expect, it } from 'vitest';
import { optionFields, plainOptions } from './option-fields.ts';
import { payloadJson } from './payload-json.ts';
import { createRunColumns } from './run-columns.ts';

describe('optionFields', () => {
  it('writes times, whatever they come as, and keys', () => {
    const time = '2026-11-18T06:07:08.009Z';
    expect(optionFields({ scheduledFor: '2026-11-18T06:07:08.009Z' }, 'x')).toEqual({ time });
    expect(optionFields({ scheduledFor: '2026-11-18T15:07:08.009+09:00' }, 'x')).toEqual({ time });
    expect(optionFields({ scheduledFor: Date.UTC(2026, 10, 18, 6, 7, 8, 9) }, 'x')).toEqual({ time });
    expect(optionFields({ scheduledFor: new Date(Date.UTC(2026, 10, 18, 6, 7, 8, 9)) }, 'x')).toEqual({ time });
    const all = { priority: -5, concurrencyKey: 'a"b', idempotencyKey: 'k😀', rateKey: 'r' };
    expect(optionFields(all, 'x')).toEqual(all);
    expect(optionFields({}, 'x')).toEqual({});
  });

  it.each([
    [{ priority: 40_000 }],
    [{ priority: Number.NaN }],
    [{ concurrencyKey: 'x'.repeat(501) }],
    [{ rateKey: 'a\u0000' }],
    [{ idempotencyKey: 'half \ud83d' }],
    [{ idempotencyKey: '' }],
    [{ scheduledFor: '2026-02-30T00:00:00Z' }],
    [{ scheduledFor: -1 }],
    [{ scheduledFor: 1e18 }],
  ])('refuses %j', (options) => {
    expect(() => optionFields(options, 'x')).toThrow(expect.objectContaining({ code: 'invalid-argument' }));
  });

  it('knows when nothing is asked for', () => {
    expect(plainOptions({})).toBe(true);
    expect(plainOptions({ priority: 0 })).toBe(false);
  });
});

describe('payloadJson', () => {
  it('keeps JSON as it is, and nothing as null', () => {
    expect(payloadJson(undefined, 'x')).toBe('null');
    expect(payloadJson({ a: ['\\u0000', 'ü'] }, 'x')).toBe('{"a":["\\\\u0000","ü"]}');
  });

  it.each([[Symbol('s')], [() => 1], [10n], ['\u0000'], [{ deep: ['a\\\u0000'] }]])('refuses %s', (payload) => {
    expect(() => payloadJson(payload, 'x')).toThrow(expect.objectContaining({ code: 'invalid-payload' }));
  });
});

describe('createRunColumns', () => {
  it('cuts by count and by size, and leaves nothing out', () => {
    const columns = createRunColumns({ itemsMax: 3, charsMax: 10 });
    for (const text of ['1', '2', '3', '4', '"123456789"', '5']) columns.add(7, text, {});
    const chunks = columns.chunks();
    expect(chunks.map(({ payloads }) => payloads)).toEqual(['[1,2,3]', '[4]', '["123456789"]', '[5]']);
    expect(chunks.map(({ count }) => count)).toEqual([3, 1, 1, 1]);
    expect(createRunColumns({ itemsMax: 3, charsMax: 10 }).chunks()).toEqual([]);
  });

  it('writes a column only where somebody uses it', () => {
    const columns = createRunColumns({ itemsMax: 10, charsMax: 100 });
    columns.add(1, '1', { priority: 0, rateKey: 'NULL' });
    columns.add(2, '2', { concurrencyKey: 'a"\\,{b}' });
    expect(columns.chunks()).toEqual([
      {
        count: 2,
        payloads: '[1,2]',
        definitions: '{1,2}',
        priorities: '{0,NULL}',
        times: null,
        concurrencyKeys: '{NULL,"a\\"\\\\,{b}"}',
        rateKeys: '{"NULL",NULL}',
        idempotencyKeys: null,
      },
    ]);
  });
});
