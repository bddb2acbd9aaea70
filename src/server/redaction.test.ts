import { describe, expect, it } from 'vitest';
import { createRedaction } from './redaction.ts';

describe('redaction', () => {
  it('hides by name at any depth, whatever the spelling, and nothing else', () => {
    const { hide } = createRedaction(['plate-number']);
    expect(
      hide({
        videoId: 'v',
        customer: { Email: 'a@b', name: 'Sato' },
        calls: [{ api_key: 1 }],
        PLATE_NUMBER: '12',
        cookie: null,
      }),
    ).toEqual({
      videoId: 'v',
      customer: { Email: '[hidden: Email]', name: 'Sato' },
      calls: [{ api_key: '[hidden: api_key]' }],
      PLATE_NUMBER: '[hidden: PLATE_NUMBER]',
      cookie: null,
    });
  });

  it('leaves what is no object alone', () => {
    const { hide } = createRedaction();
    for (const value of [null, 1, 'password', true, [1, 'token']]) expect(hide(value)).toEqual(value);
  });
});
