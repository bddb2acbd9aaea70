import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readPostmasterFile } from './postmaster-file.ts';

const dir = mkdtempSync(join(tmpdir(), 'kannuki-postmaster-'));

afterAll(() => rmSync(dir, { recursive: true, force: true }));

it.each([
  ['a server that is ready', '42\n/data\n1700000000\n15432\n\n127.0.0.1\n  123 4\nready   \n', 42, 15_432, true],
  ['a server that recovers', '42\n/data\n1700000000\n15432\n\n127.0.0.1\n  123 4\nstarting\n', 42, 15_432, false],
  ['a server that has only begun', '42\n/data\n1700000000\n', 42, undefined, false],
])('reads %s', (_, text, pid, port, ready) => {
  writeFileSync(join(dir, 'postmaster.pid'), text);
  expect(readPostmasterFile(dir)).toEqual({ pid, port, ready });
});

it.each(['', '-42\n/data\n', 'x\n'])('knows nothing from %j', (text) => {
  writeFileSync(join(dir, 'postmaster.pid'), text);
  expect(readPostmasterFile(dir)).toBeUndefined();
});

it('knows nothing where no server ran', () => {
  expect(readPostmasterFile(join(dir, 'none'))).toBeUndefined();
});
