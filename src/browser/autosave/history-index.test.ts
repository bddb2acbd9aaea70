import { expect, it } from 'vitest';
import { historyIndex } from './history-index.ts';

const version = (token: number, seq: number) => ({ token, seq, time: token * 100 + seq, bytes: 10 });

it('says the highest token and lists what is kept', () => {
  expect(JSON.parse(historyIndex(version(2, 1), [version(1, 1), version(2, 1)]))).toEqual({
    ...version(2, 1),
    generations: [version(1, 1), version(2, 1)],
  });
});

it('keeps documents out', () => {
  expect(historyIndex({ ...version(1, 1), document: 'secret' } as never, [])).not.toContain('secret');
});
