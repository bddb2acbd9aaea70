import { expect, it } from 'vitest';
import { messagesFor } from './messages.ts';

it('follows the locale, most specific first', () => {
  const english = messagesFor({}).noLeases;
  const japanese = messagesFor({ LANG: 'ja_JP.UTF-8' }).noLeases;
  expect(japanese).not.toBe(english);
  expect(messagesFor({ LANG: 'ja_JP.UTF-8', LC_ALL: 'C' }).noLeases).toBe(english);
  expect(messagesFor({ LANG: 'C', LC_MESSAGES: 'ja' }).noLeases).toBe(japanese);
  expect(messagesFor({ LANG: 'jam' }).noLeases).toBe(english);
});

it('quotes what comes from outside, shortened and without control characters', () => {
  const sentence = messagesFor({}).notHeld(`\u001b[2J${'x'.repeat(500)}`);
  expect(sentence.length).toBeLessThan(150);
  expect(sentence).toContain('\\u001b[2J');
});
