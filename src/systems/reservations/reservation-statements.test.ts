import { expect, it } from 'vitest';
import { reservationStatements } from './reservation-statements.ts';

it('are told apart by the 63 bytes that the server keeps of a name, with the longest schema', () => {
  const names = Object.values(reservationStatements('s'.repeat(40))).map(({ name }) => name);
  expect(Math.max(...names.map((name) => Buffer.byteLength(name)))).toBeLessThanOrEqual(63);
  expect(new Set(names).size).toBe(names.length);
});
