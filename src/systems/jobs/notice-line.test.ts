import { describe, expect, it } from 'vitest';
import { parseJobNotice } from './notice-line.ts';

describe('parseJobNotice', () => {
  it.each([
    ['run|3|-5|1763446123.25', { kind: 'run', queueId: 3, priority: -5, seconds: 1_763_446_123.25 }],
    ['lead', { kind: 'lead' }],
    ['settings', { kind: 'settings' }],
    ['missed', { kind: 'missed' }],
    ['work|7', { kind: 'work', workerId: 7 }],
    ['cancel|7|99', { kind: 'cancel', workerId: 7, runId: 99 }],
    ['something newer|1', undefined],
    ['', undefined],
  ])('%s', (text, notice) => {
    expect(parseJobNotice(text)).toEqual(notice);
  });
});
