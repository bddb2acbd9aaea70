import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createLineSplitter } from './line-splitter.ts';

it('gives the same lines however the bytes are cut', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' })), fc.array(fc.integer({ min: 1, max: 7 })), (lines, cuts) => {
      const clean = lines.map((line) => line.replace(/[\r\n]/g, ' '));
      const bytes = Buffer.from(clean.map((line) => `${line}\n`).join(''));
      const splitter = createLineSplitter();
      const found: string[] = [];
      for (let at = 0, n = 0; at < bytes.length; n++) {
        const step = cuts[n % Math.max(1, cuts.length)] ?? 3;
        found.push(...splitter.push(bytes.subarray(at, at + step)));
        at += step;
      }
      expect([...found, ...splitter.end()]).toEqual(clean);
    }),
  );
});

it('cuts what never ends', () => {
  const splitter = createLineSplitter(10);
  expect(splitter.push(Buffer.from('a'.repeat(25)))).toEqual(['a'.repeat(10), 'a'.repeat(10)]);
  expect(splitter.push(Buffer.from('b\r\nlast'))).toEqual(['aaaaab']);
  expect(splitter.end()).toEqual(['last']);
  expect(splitter.end()).toEqual([]);
});
