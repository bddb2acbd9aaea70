import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from './canonical-json.ts';
import { runOnceLimits } from './run-once-limits.ts';

/** The same value with its keys in another order. */
function shuffle(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffle);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).reverse();
  return Object.fromEntries(entries.map(([name, item]) => [name, shuffle(item)]));
}

describe('canonicalJson', () => {
  it('sorts keys, at every depth, and leaves lists alone', () => {
    expect(canonicalJson({ b: [2, 1, { d: null, c: true }], a: 'x' })).toBe('{"a":"x","b":[2,1,{"c":true,"d":null}]}');
    expect(canonicalJson({ b: 1, B: 2, '10': 3, '9': 4, é: 5 })).toBe('{"10":3,"9":4,"B":2,"b":1,"é":5}');
  });

  it('takes a property that is undefined for absent, and -0 for 0, as JSON does', () => {
    expect(canonicalJson({ a: undefined, b: -0 })).toBe('{"b":0}');
  });

  it('keeps apart what is not well-formed text', () => {
    expect(canonicalJson('\ud800')).not.toBe(canonicalJson('\ud801'));
    expect(canonicalJson('\ud800')).toBe('"\\ud800"');
  });

  it('takes objects without a prototype, and keys that objects have by nature', () => {
    expect(canonicalJson(Object.assign(Object.create(null), { a: 1 }))).toBe('{"a":1}');
    expect(canonicalJson(JSON.parse('{"__proto__":{"x":1},"constructor":2}'))).toBe(
      '{"__proto__":{"x":1},"constructor":2}',
    );
  });

  it.each<[string, unknown, RegExp]>([
    ['undefined', undefined, /^input is undefined, which JSON cannot say/],
    ['NaN', { a: [Number.NaN] }, /^input\.a\[0\] is NaN/],
    ['Infinity', { a: Number.POSITIVE_INFINITY }, /^input\.a is Infinity/],
    ['a BigInt', 1n, /^input is a bigint/],
    ['a function', { run: () => 1 }, /^input\.run is a function/],
    ['a symbol', Symbol('x'), /^input is a symbol/],
    ['a Date', { at: new Date(0) }, /^input\.at is a Date/],
    ['a Map', new Map(), /^input is a Map/],
    ['bytes', { body: new Uint8Array(2) }, /^input\.body is a Uint8Array/],
    ['a hole', Array(2), /^input\[0\] is undefined/],
  ])('refuses %s', (_, input, message) => {
    expect(() => canonicalJson(input)).toThrow(message);
    expect(() => canonicalJson(input)).toThrow(expect.objectContaining({ code: 'invalid-argument' }));
  });

  it('refuses what contains itself, or is too deep or too long', () => {
    const cycle: Record<string, unknown> = {};
    cycle.self = [cycle];
    expect(() => canonicalJson(cycle)).toThrow(/nested more than 100 deep, or contains itself/);
    let deep: unknown = 1;
    for (let i = 0; i < runOnceLimits.inputDepthMax; i++) deep = [deep];
    expect(canonicalJson(deep)).toHaveLength(201);
    expect(() => canonicalJson([deep])).toThrow(/nested more than/);
    expect(() => canonicalJson('x'.repeat(runOnceLimits.inputCharsMax))).toThrow(/8000002 characters of JSON/);
  });

  it('is one text per value: any JSON comes back, the order of keys does not matter', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value);
        // JSON knows no -0, and a "__proto__" key is a property like any other.
        expect(JSON.stringify(shuffle(JSON.parse(text)))).toBe(
          JSON.stringify(shuffle(JSON.parse(canonicalJson(JSON.parse(text))))),
        );
        expect(canonicalJson(shuffle(JSON.parse(text)))).toBe(text);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('is another text for another value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        const [one, other] = [a, b].map((value) => JSON.parse(JSON.stringify(value)) as unknown);
        let same = true;
        try {
          expect(one).toEqual(other);
        } catch {
          same = false;
        }
        expect(canonicalJson(one) === canonicalJson(other)).toBe(same);
      }),
    );
  });
});
