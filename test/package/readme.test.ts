/** Every JavaScript block of the README runs as it stands, against the built package. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const blocks = [...readFileSync(join(root, 'README.md'), 'utf8').matchAll(/```js\n([\s\S]*?)```/g)].map(
  ([, code = '']) => code,
);
const says = [/^writing as number \d{16}\n$/, /^written\n$/];

describe('the README', () => {
  it('has the blocks that are run here', () => {
    expect(blocks).toHaveLength(says.length);
  });

  it.each(blocks.map((code, i) => ({ i, code })))('block $i runs and says what it says', async ({ i, code }) => {
    // A folder of its own, which sees the package by name, so that what the example writes is not left here.
    const dir = mkdtempSync(join(tmpdir(), 'kannuki-readme-'));
    try {
      symlinkSync(join(root, 'node_modules'), join(dir, 'node_modules'));
      const linked = code.replaceAll(/from '(kannuki[^']*)'/g, (_, name: string) => `from '${resolvePackage(name)}'`);
      const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', linked], {
        cwd: dir,
      });
      expect(stderr).toBe('');
      expect(stdout).toMatch(says[i] ?? /never/);
    } finally {
      rmSync(dir, { recursive: true });
    }
  });
});

function resolvePackage(name: string): string {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    exports: Record<string, string>;
  };
  return join(root, exports[name.replace(/^kannuki/, '.')] ?? 'missing');
}
