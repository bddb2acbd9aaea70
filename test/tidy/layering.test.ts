/**
 * Layering is checked twice: by our own table, which resolves paths, and by Biome, which tells while one types. Every
 * rule is shown failing on a planted line.
 */
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findLayerBreaks } from './layers.ts';
import { readRepository, repositoryRoot } from './repository.ts';

interface Planted {
  readonly path: string;
  readonly line: string;
}

const forbidden: readonly Planted[] = [
  { path: 'src/index.ts', line: "export { a } from './stores/memory/a.ts';" },
  { path: 'src/index.ts', line: "export { a } from './server/a.ts';" },
  { path: 'src/core/a.ts', line: "import 'node:fs';" },
  { path: 'src/core/a.ts', line: "import '#platform';" },
  { path: 'src/core/a.ts', line: "import 'zod';" },
  { path: 'src/core/a.ts', line: "import type { A } from '../engine/a.ts';" },
  { path: 'src/platform/a.ts', line: "import '../engine/a.ts';" },
  { path: 'src/platform/a.ts', line: "import 'pg';" },
  { path: 'src/sql/a.ts', line: "import '../stores/postgres/a.ts';" },
  { path: 'src/sql/a.ts', line: "import 'pg';" },
  { path: 'src/stores/postgres/a.ts', line: "import '../memory/a.ts';" },
  { path: 'src/stores/postgres/a.ts', line: "await import('../memory/a.ts');" },
  { path: 'src/stores/postgres/deep/a.ts', line: "import '../../file/a.ts';" },
  { path: 'src/stores/file/a.ts', line: "import '../../engine/a.ts';" },
  { path: 'src/stores/file/a.ts', line: "import '../../server/a.ts';" },
  { path: 'src/stores/memory/a.ts', line: "import 'vitest';" },
  { path: 'src/engine/a.ts', line: "import '../stores/memory/a.ts';" },
  { path: 'src/engine/a.ts', line: "import '../embedded/a.ts';" },
  { path: 'src/engine/a.ts', line: "import 'node:fs';" },
  { path: 'src/embedded/a.ts', line: "import '../server/a.ts';" },
  { path: 'src/embedded/a.ts', line: "import '../cli/a.ts';" },
  { path: 'src/embedded/a.ts', line: "import 'fast-check';" },
  { path: 'src/browser/project-lock/a.ts', line: "import '../autosave/a.ts';" },
  { path: 'src/browser/project-lock/a.ts', line: "import '../../engine/a.ts';" },
  { path: 'src/browser/project-lock/a.ts', line: "import 'node:fs';" },
  { path: 'src/browser/autosave/a.ts', line: "import '../../stores/memory/a.ts';" },
  { path: 'src/engine/a.ts', line: "import '../browser/project-lock/a.ts';" },
  { path: 'src/server/a.ts', line: "import '../browser/project-lock/a.ts';" },
  { path: 'src/cli/a.ts', line: "import '../browser/project-lock/a.ts';" },
  { path: 'src/testing/a.ts', line: "import 'vitest';" },
  { path: 'src/testing/a.ts', line: "import '../stores/postgres/a.ts';" },
  { path: 'src/testing/a.ts', line: "import '../server/a.ts';" },
  { path: 'src/server/a.ts', line: "import '../cli/a.ts';" },
  { path: 'src/server/a.ts', line: "import '../testing/a.ts';" },
  { path: 'src/server/a.ts', line: "import 'node:test';" },
  { path: 'src/cli/a.ts', line: "import '../testing/a.ts';" },
  { path: 'src/cli/a.ts', line: "import 'vitest';" },
];

const allowed: readonly Planted[] = [
  { path: 'src/index.ts', line: "export { a } from './engine/a.ts';" },
  { path: 'src/core/a.ts', line: "import './b.ts';" },
  { path: 'src/platform/a.ts', line: "import '../core/a.ts';" },
  { path: 'src/platform/a.ts', line: "import 'node:crypto';" },
  { path: 'src/sql/a.ts', line: "import '../core/a.ts';" },
  { path: 'src/stores/postgres/a.ts', line: "import '../../core/a.ts';" },
  { path: 'src/stores/postgres/a.ts', line: "import '../../sql/a.ts';" },
  { path: 'src/stores/postgres/a.ts', line: "import '#platform';" },
  { path: 'src/stores/postgres/a.ts', line: "import 'pg';" },
  { path: 'src/stores/postgres/deep/a.ts', line: "import '../b.ts';" },
  { path: 'src/stores/postgres/deep/a.ts', line: "import '../../../core/a.ts';" },
  { path: 'src/engine/a.ts', line: "import '../core/a.ts';" },
  { path: 'src/engine/a.ts', line: "import '#platform';" },
  { path: 'src/embedded/a.ts', line: "import '../stores/pglite/a.ts';" },
  { path: 'src/embedded/a.ts', line: "import '../platform/a.ts';" },
  { path: 'src/browser/project-lock/a.ts', line: "import '../../core/a.ts';" },
  { path: 'src/browser/project-lock/a.ts', line: "import '../../platform/browser.ts';" },
  { path: 'src/browser/autosave/a.ts', line: "import '../project-lock/a.ts';" },
  { path: 'src/testing/a.ts', line: "import '../engine/a.ts';" },
  { path: 'src/testing/a.ts', line: "import '../stores/memory/a.ts';" },
  { path: 'src/server/a.ts', line: "import '../stores/postgres/a.ts';" },
  { path: 'src/server/a.ts', line: "import 'hono';" },
  { path: 'src/cli/a.ts', line: "import '../server/a.ts';" },
];

describe('our table', () => {
  it('holds in the repository', () => {
    expect(findLayerBreaks(readRepository())).toEqual([]);
  });

  it.each(forbidden)('refuses $line in $path', ({ path, line }) => {
    expect(findLayerBreaks([{ path, text: line }])).toHaveLength(1);
  });

  it.each(allowed)('lets $line pass in $path', ({ path, line }) => {
    expect(findLayerBreaks([{ path, text: line }])).toEqual([]);
  });

  it('lets a test import what it likes', () => {
    expect(findLayerBreaks([{ path: 'src/core/a.test.ts', text: "import 'vitest';" }])).toEqual([]);
  });

  it('wants a line for a new folder', () => {
    expect(findLayerBreaks([{ path: 'src/novelty/a.ts', text: '' }])[0]).toMatch(/no line in/);
  });
});

describe('Biome', () => {
  const others: readonly (Planted & { readonly rule: string })[] = [
    { path: 'src/engine/time.ts', line: 'export const now: number = Date.now();', rule: 'noRestrictedGlobals' },
    { path: 'src/core/timer.ts', line: 'setTimeout(() => {}, 1);', rule: 'noRestrictedGlobals' },
    {
      path: 'src/stores/file/speed.ts',
      line: 'export const now: number = performance.now();',
      rule: 'noRestrictedGlobals',
    },
    {
      path: 'src/server/chance.ts',
      line: 'export const id: string = crypto.randomUUID();',
      rule: 'noRestrictedGlobals',
    },
    {
      path: 'src/engine/round.ts',
      line: "import { about } from './trip.ts';\nexport const round: string = about;",
      rule: 'noImportCycles',
    },
    {
      path: 'src/engine/trip.ts',
      line: "import { round } from './round.ts';\nexport const about: string = round;",
      rule: 'noImportCycles',
    },
    { path: 'src/engine/loose.ts', line: 'async function go(): Promise<void> {}\ngo();', rule: 'noFloatingPromises' },
    { path: 'src/engine/untyped.ts', line: 'export const x: any = 1;', rule: 'noExplicitAny' },
  ];
  const innocent: readonly Planted[] = [
    ...allowed,
    { path: 'src/platform/time.ts', line: 'export const now: number = Date.now();' },
    { path: 'src/engine/time.test.ts', line: "import 'vitest';\nsetTimeout(() => {}, 1);" },
    { path: 'scripts/time.mjs', line: 'setTimeout(() => {}, 1);' },
  ];
  let folder = '';
  let found: readonly { readonly path: string; readonly rule: string }[] = [];

  /** Each planted line gets a file of its own beside its path. */
  const plantedPath = (path: string, kind: string, index: number): string =>
    path.replace(/a\.ts$/, `${kind}-${index}.ts`);
  const rulesAt = (path: string): readonly string[] =>
    found.filter((item) => item.path === path).map((item) => item.rule);

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kannuki-layers-'));
    for (const name of ['biome.json', '.gitignore']) copyFileSync(join(repositoryRoot, name), join(folder, name));
    const plant = (path: string, text: string): void => {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), `${text}\n`);
    };
    for (const [index, { path, line }] of forbidden.entries()) plant(plantedPath(path, 'bad', index), line);
    for (const [index, { path, line }] of innocent.entries()) plant(plantedPath(path, 'good', index), line);
    for (const { path, line } of others) plant(path, line);
    found = await lint(folder);
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  // The root's index file cannot be planted twice; the table above covers its second line.
  it.each(forbidden.map((planted, index) => ({ ...planted, index })).filter(({ path }) => path !== 'src/index.ts'))(
    'refuses $line in $path',
    ({ path, index }) => {
      expect(rulesAt(plantedPath(path, 'bad', index))).toContain('noRestrictedImports');
    },
  );

  it.each(innocent.map((planted, index) => ({ ...planted, index })))('lets $line pass in $path', ({ path, index }) => {
    const layering = ['noRestrictedImports', 'noRestrictedGlobals'];
    expect(rulesAt(plantedPath(path, 'good', index)).filter((rule) => layering.includes(rule))).toEqual([]);
  });

  it.each(others)('reports $rule in $path', ({ path, rule }) => {
    expect(rulesAt(path)).toContain(rule);
  });
});

/** Runs Biome in a folder. It exits with 1 because it finds something: that is what we want to see. */
function lint(folder: string): Promise<readonly { readonly path: string; readonly rule: string }[]> {
  const command = [join(repositoryRoot, 'node_modules/@biomejs/biome/bin/biome'), 'lint', '--colors=off'];
  const options = ['--reporter=github', '--max-diagnostics=none', '.'];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [...command, ...options], { cwd: folder, maxBuffer: 1 << 26 }, (_, stdout, stderr) => {
      const lines = [...stdout.matchAll(/^::\w+ title=lint\/\w+\/(\w+),file=([^,]+),/gm)];
      if (lines.length === 0) reject(new Error(`Biome reported nothing: ${stdout}${stderr}`));
      else resolve(lines.map((match) => ({ rule: match[1] ?? '', path: (match[2] ?? '').replace(`${folder}/`, '') })));
    });
  });
}
