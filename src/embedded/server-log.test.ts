import { closeSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { openServerLog, readLogTail } from './server-log.ts';

const dir = mkdtempSync(join(tmpdir(), 'kannuki-log-'));

afterAll(() => rmSync(dir, { recursive: true, force: true }));

it('shows the last lines of this start only', () => {
  const path = join(dir, 'one.log');
  writeFileSync(path, 'of an earlier start\n');
  const { fd, start } = openServerLog(path);
  expect(readLogTail(path, start)).toBe('');
  for (let line = 1; line <= 20; line += 1) writeSync(fd, `line ${line}\n`);
  closeSync(fd);
  expect(readLogTail(path, start)).toBe(Array.from({ length: 8 }, (_, index) => `line ${index + 13}`).join('\n'));
  expect(readLogTail(join(dir, 'none.log'), 0)).toBe('');
});

it('puts a log aside that has grown large, and keeps it from others', () => {
  const path = join(dir, 'two.log');
  writeFileSync(path, 'x'.repeat(1_000_001));
  const { fd, start } = openServerLog(path);
  closeSync(fd);
  expect(start).toBe(0);
  expect(existsSync(`${path}.old`)).toBe(true);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});
