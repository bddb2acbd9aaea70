import { describe, expect, it } from 'vitest';
import { channelOf, channelSql, parseNotice } from './notices.ts';

describe('parseNotice', () => {
  it('reads a grant, with spaces in the key', () => {
    expect(parseNotice('granted 64 127 2000 abc.1@web-1:7 a key  of ours')).toEqual({
      kind: 'granted',
      token: 64,
      lastToken: 127,
      acceptMs: 2000,
      owner: 'abc.1@web-1:7',
      key: 'a key  of ours',
    });
  });

  it('reads a break', () => {
    expect(parseNotice('broken abc.1@x k')).toEqual({ kind: 'broken', owner: 'abc.1@x', key: 'k' });
  });

  it('ignores what others send on the channel', () => {
    expect(parseNotice('')).toBeUndefined();
    expect(parseNotice('granted soon')).toBeUndefined();
  });
});

describe('channels', () => {
  it('are the same in SQL and here', () => {
    expect(channelOf('kannuki', 'abc')).toBe('kannuki_abc');
    expect(channelSql('"kannuki"', 'l.owner')).toBe(`'kannuki_' || split_part(l.owner, '.', 1)`);
  });
});
