import { expect, it } from 'vitest';
import { tableLines } from './table-lines.ts';

it('aligns columns, counts wide characters twice, and keeps control characters from the terminal', () => {
  const lines = tableLines(
    ['KEY', 'N'],
    [
      ['予約', '1'],
      ['a\u001b[31m', '22'],
      ['b', ''],
    ],
  );
  expect(lines).toEqual(['KEY     N', '予約    1', 'a\u{fffd}[31m  22', 'b']);
});
