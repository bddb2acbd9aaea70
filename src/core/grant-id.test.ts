import { expect, it } from 'vitest';
import { grantId, nameOf, processOf, safeProcessName } from './grant-id.ts';
import { limits } from './limits.ts';

it('tells whom a notice is for and who it is for people, also with dots and at-signs in the name', () => {
  const id = grantId('f00d', 7, 'web.1@eu:42');
  expect(id).toBe('f00d.7@web.1@eu:42');
  expect(processOf(id)).toBe('f00d');
  expect(nameOf(id)).toBe('web.1@eu:42');
});

it('an owner that is no grant id is its own process and name', () => {
  expect(processOf('worker')).toBe('worker');
  expect(nameOf('worker')).toBe('worker');
  expect(processOf('.hidden')).toBe('');
  expect(nameOf('@worker')).toBe('worker');
});

it('a process name is short, and holds nothing that a record, a channel or a file name could mistake', () => {
  expect(safeProcessName('web-1:4242_a')).toBe('web-1:4242_a');
  expect(safeProcessName('web  1/../é@x')).toBe('web-1-x');
  expect(safeProcessName('x'.repeat(500))).toBe('x'.repeat(limits.processNameMax));
  expect(safeProcessName('')).toBe('process');
});
