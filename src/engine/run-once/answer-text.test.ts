import { describe, expect, it } from 'vitest';
import { describeError, readAnswerText, writeAnswerText } from './answer-text.ts';
import { runOnceLimits } from './run-once-limits.ts';

describe('writeAnswerText', () => {
  it('tells nothing from null', () => {
    expect(writeAnswerText(undefined, 'k')).toBeNull();
    expect(readAnswerText(null)).toBeUndefined();
    expect(readAnswerText(writeAnswerText(null, 'k'))).toBeNull();
  });

  it('counts bytes, not characters, up to the limit', () => {
    const fits = 'é'.repeat(runOnceLimits.answerBytesMax / 2 - 1);
    expect(readAnswerText(writeAnswerText(fits, 'k'))).toBe(fits);
    expect(() => writeAnswerText(`${fits}x`, 'k')).toThrow(
      expect.objectContaining({ code: 'invalid-answer', key: 'k' }),
    );
  });

  it('says what JSON cannot', () => {
    const cycle: unknown[] = [];
    cycle.push(cycle);
    expect(() => writeAnswerText(cycle, 'k')).toThrow(/answer of "k" cannot be written as JSON: .*circular/i);
    expect(() => writeAnswerText(Symbol('x'), 'k')).toThrow(/answer of "k" is a symbol/);
  });
});

describe('describeError', () => {
  it('keeps name, message and code, and nothing else', () => {
    const error = Object.assign(new RangeError('too far'), { code: 416, password: 'hidden' });
    expect(describeError(error)).toEqual({ name: 'RangeError', message: 'too far', code: 416 });
    expect(describeError(Object.assign(new Error('x'), { code: { no: 1 } }))).toEqual({ name: 'Error', message: 'x' });
  });

  it('copes with anything that can be thrown', () => {
    expect(describeError(undefined)).toEqual({ name: 'Error', message: 'undefined' });
    expect(describeError('text')).toEqual({ name: 'Error', message: 'text' });
    expect(describeError(Object.create(null)).message).toBe('a value that cannot be shown was thrown');
    expect(describeError({ name: 1, code: 'E' })).toEqual({ name: 'Error', message: '[object Object]', code: 'E' });
  });

  it('cuts what is too long', () => {
    const { message, name, code } = describeError(
      Object.assign(new Error('m'.repeat(9_999)), { name: 'n'.repeat(9_999), code: 'c'.repeat(9_999) }),
    );
    expect([message.length, name.length, String(code).length]).toEqual([runOnceLimits.errorMessageMax, 100, 100]);
  });
});
