import { describe, expect, it } from 'vitest';
import { byAge, generationName, parseGenerationName } from './generation-name.ts';

describe('generation names', () => {
  it('say time, token and count, and are read back', () => {
    const version = { time: 1_700_000_000_000, token: 12, seq: 3 };
    expect(generationName(version)).toBe('1700000000000-12-3.json');
    expect(parseGenerationName('1700000000000-12-3.json')).toEqual(version);
  });

  it('leave foreign files alone', () => {
    for (const name of ['notes.txt', '1-2-3.json.crswap', '1-2.json', 'x1-2-3.json', '.tmp-1-2-h']) {
      expect(parseGenerationName(name), name).toBeUndefined();
    }
  });

  it('are ordered by token and count, whatever the clocks said', () => {
    const at = (time: number, token: number, seq: number) => ({ time, token, seq, bytes: 1 });
    const sorted = [at(5, 2, 1), at(9, 1, 10), at(1, 2, 2), at(7, 1, 9)].sort(byAge);
    expect(sorted.map(({ token, seq }) => `${token}.${seq}`)).toEqual(['1.9', '1.10', '2.1', '2.2']);
  });
});
