import { describe, expect, it } from 'vitest';
import { createCommaLine } from './comma-line.ts';
import { optionsJson, plainOptions } from './options-json.ts';
import { payloadJson } from './payload-json.ts';

describe('optionsJson', () => {
  it('writes times, whatever they come as, and keys', () => {
    const at = '"s":"2026-11-18T06:07:08.009Z"';
    expect(optionsJson({ scheduledFor: '2026-11-18T06:07:08.009Z' }, 'x')).toBe(`,${at}`);
    expect(optionsJson({ scheduledFor: '2026-11-18T15:07:08.009+09:00' }, 'x')).toBe(`,${at}`);
    expect(optionsJson({ scheduledFor: Date.UTC(2026, 10, 18, 6, 7, 8, 9) }, 'x')).toBe(`,${at}`);
    expect(optionsJson({ scheduledFor: new Date(Date.UTC(2026, 10, 18, 6, 7, 8, 9)) }, 'x')).toBe(`,${at}`);
    const all = optionsJson({ priority: -5, concurrencyKey: 'a"b', idempotencyKey: 'k', rateKey: 'r' }, 'x');
    expect(JSON.parse(`{"d":1${all}}`)).toEqual({ d: 1, pr: -5, c: 'a"b', k: 'k', r: 'r' });
    expect(optionsJson({}, 'x')).toBe('');
  });

  it.each([
    [{ priority: 40_000 }],
    [{ priority: Number.NaN }],
    [{ concurrencyKey: 'x'.repeat(501) }],
    [{ rateKey: 'a\u0000' }],
    [{ scheduledFor: '2026-02-30T00:00:00Z' }],
    [{ scheduledFor: -1 }],
    [{ scheduledFor: 1e18 }],
  ])('refuses %j', (options) => {
    expect(() => optionsJson(options, 'x')).toThrow(expect.objectContaining({ code: 'invalid-argument' }));
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

describe('createCommaLine', () => {
  it('cuts by count and by size, and leaves nothing out', () => {
    const line = createCommaLine({ itemsMax: 3, charsMax: 10 });
    for (const text of ['1', '2', '3', '4', '"123456789"', '5']) line.add(text);
    const chunks = line.chunks();
    expect(chunks.map(({ text }) => text)).toEqual(['[1,2,3]', '[4]', '["123456789"]', '[5]']);
    expect(chunks.map(({ count }) => count)).toEqual([3, 1, 1, 1]);
    expect(createCommaLine({ itemsMax: 3, charsMax: 10 }).chunks()).toEqual([]);
  });
});
