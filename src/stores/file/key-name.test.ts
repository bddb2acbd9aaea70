import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromKeyName, isHashedName, toKeyName } from './key-name.ts';

describe('toKeyName', () => {
  it.each([
    ['order-42', 'order-42'],
    ['a_b', 'a_b'],
    ['A', '%41'],
    ['.', '%2e'],
    ['..', '%2e%2e'],
    ['../x', '%2e%2e%2fx'],
    ['a:b*?"<>|\\', 'a%3ab%2a%3f%22%3c%3e%7c%5c'],
    ['閂', '%e9%96%82'],
    ['%41', '%2541'],
    ['~x', '%7ex'],
    ['con', '%63on'],
    ['com1', '%63om1'],
    ['console', 'console'],
  ])('writes %j as %j', (key, name) => {
    expect(toKeyName(key)).toBe(name);
    expect(fromKeyName(name)).toBe(key);
  });

  it('gives every key a name of its own, even where capital and small letters are one', () => {
    const key = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }).filter(isKey);
    fc.assert(
      fc.property(key, key, (a, b) => {
        expect(toKeyName(a).toLowerCase() === toKeyName(b).toLowerCase()).toBe(a === b);
        expect(toKeyName(a)).toMatch(/^(?:[a-z0-9_%-]{1,100}|~[0-9a-f]{64})$/);
        if (!isHashedName(toKeyName(a))) expect(fromKeyName(toKeyName(a))).toBe(a);
      }),
    );
  });

  it('hashes what would be too long, and only that', () => {
    expect(isHashedName(toKeyName('k'.repeat(100)))).toBe(false);
    expect(isHashedName(toKeyName('k'.repeat(101)))).toBe(true);
    expect(toKeyName('é'.repeat(256))).toHaveLength(65);
    expect(toKeyName('k'.repeat(511))).not.toBe(toKeyName('k'.repeat(512)));
    expect(fromKeyName(toKeyName('k'.repeat(512)))).toBeUndefined();
  });

  it.each(['', 'k'.repeat(513), 'a\nb', '\ud800'])('refuses %j, which is no key', (key) => {
    expect(() => toKeyName(key)).toThrowError(expect.objectContaining({ code: 'invalid-argument' }));
  });

  it.each(['A', 'a.b', '%4', '%zz', '%61', '%ff'])('takes the name %j for nobody’s', (name) => {
    expect(fromKeyName(name)).toBeUndefined();
  });
});

function isKey(text: string): boolean {
  try {
    toKeyName(text);
    return true;
  } catch {
    return false;
  }
}
