/**
 * Compiles today's source into a folder of its own, so that a test can run it in processes of their own: what `dist`
 * holds may be older. Types are checked elsewhere; this takes a quarter of a second.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface CompiledSource {
  /** `dist` is in it; a program written here imports `./dist/…` and the packages. */
  readonly dir: string;
  /** Writes a program and gives its path. */
  writeProgram(name: string, text: string): string;
  remove(): void;
}

export function compileSource(): CompiledSource {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const dir = mkdtempSync(join(tmpdir(), 'kannuki-source-'));
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const flags = ['--noCheck', '--declaration', 'false', '--isolatedDeclarations', 'false'];
  execFileSync(process.execPath, [tsc, '-p', join(root, 'tsconfig.json'), ...flags, '--outDir', join(dir, 'dist')]);
  symlinkSync(join(root, 'node_modules'), join(dir, 'node_modules'));
  const manifest = { name: 'kannuki', version: '0.0.0', type: 'module', imports: { '#platform': './dist/platform/node.js' } };
  writeFileSync(join(dir, 'package.json'), JSON.stringify(manifest));
  return {
    dir,
    writeProgram(name, text) {
      const path = join(dir, name);
      writeFileSync(path, text);
      return path;
    },
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}
