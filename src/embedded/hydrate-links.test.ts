import { mkdirSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { hydrateLinks } from './hydrate-links.ts';

const root = mkdtempSync(join(tmpdir(), 'kannuki-links-'));

afterEach(() => rmSync(root, { recursive: true, force: true }));

it('makes the links of the package that are missing, once', () => {
  const bin = join(root, 'native', 'bin');
  mkdirSync(join(root, 'native', 'lib'), { recursive: true });
  expect(hydrateLinks(bin)).toBe(0);

  writeFileSync(join(root, 'native', 'lib', 'libx.so.1.2'), 'library');
  const links = ['libx.so', 'libx.so.1'].map((name) => ({
    source: 'native/lib/libx.so.1.2',
    target: `native/lib/${name}`,
  }));
  writeFileSync(join(root, 'native', 'pg-symlinks.json'), JSON.stringify(links));
  expect(hydrateLinks(bin)).toBe(2);
  expect(readlinkSync(join(root, 'native', 'lib', 'libx.so.1'))).toBe('libx.so.1.2');
  expect(readFileSync(join(root, 'native', 'lib', 'libx.so'), 'utf8')).toBe('library');
  expect(hydrateLinks(bin)).toBe(0);
});
