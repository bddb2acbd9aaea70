import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { platform } from '#platform';
import { cliTokenPath, ensureCliToken, readCliToken } from './cli-token.ts';
import { messagesFor } from './messages.ts';

const messages = messagesFor({});
let dir = '';
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'kannuki-token-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

it('is made once, for its owner only, and kept', () => {
  const data = join(dir, 'not/yet');
  expect(readCliToken(data)).toBeUndefined();
  const token = ensureCliToken(data, platform.random, messages);
  expect(token).toMatch(/^[0-9a-f]{64}$/);
  expect(statSync(cliTokenPath(data)).mode & 0o777).toBe(0o600);
  chmodSync(cliTokenPath(data), 0o644);
  expect(ensureCliToken(data, platform.random, messages)).toBe(token);
  expect(statSync(cliTokenPath(data)).mode & 0o777).toBe(0o600);
  expect(readCliToken(data)).toBe(token);
});

it('does not overwrite what it does not understand', () => {
  writeFileSync(cliTokenPath(dir), 'something else\n');
  expect(() => ensureCliToken(dir, platform.random, messages)).toThrow(/does not contain a token; remove it/);
});
