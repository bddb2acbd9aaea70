/**
 * Style that can be tested. Each check runs over the whole repository, and over a planted bad example that it must
 * find: a check that cannot fail checks nothing.
 */
import { describe, expect, it } from 'vitest';
import { findAddresses } from './addresses.ts';
import { findBannedCalls } from './banned-calls.ts';
import { findChangelogGaps } from './changelog.ts';
import { findContainerFaults } from './container-files.ts';
import { findExportDrift } from './exports-map.ts';
import { findLongFiles, linesToExplain } from './file-lengths.ts';
import { findBadNames } from './file-names.ts';
import { findIndexLogic } from './index-files.ts';
import { findLeftovers } from './leftovers.ts';
import { findLockFileNames } from './lock-file-names.ts';
import { findMisnamedFiles } from './main-exports.ts';
import { findBrokenLinks } from './markdown-links.ts';
import { fileAt, ignoreRules, type RepositoryFile, readRepository } from './repository.ts';
import { findUnreferencedFiles } from './unreferenced-files.ts';

const repository = readRepository();

const manifest = (fields: object = {}): RepositoryFile => ({
  path: 'package.json',
  text: JSON.stringify({ version: '1.2.3', exports: { '.': './dist/index.js' }, ...fields }),
});

/** A planted text, cut in two where the whole would make this file a culprit itself. */
const cut = (...parts: readonly string[]): string => parts.join('');

interface Planted {
  readonly what: string;
  readonly files: readonly RepositoryFile[];
  readonly finds: RegExp;
}

interface Check {
  readonly name: string;
  readonly find: (files: readonly RepositoryFile[]) => readonly string[];
  readonly planted: readonly Planted[];
  /** Looks like a culprit and is none. */
  readonly innocent: readonly RepositoryFile[];
}

const source = (text: string, path = 'src/engine/planted.ts'): readonly RepositoryFile[] => [{ path, text }];

/** One of our own files with something changed in it. */
const changed =
  (path: string) =>
  (what: string | RegExp, by: string): readonly RepositoryFile[] => {
    const { text } = fileAt(repository, path);
    if (text.replace(what, by) === text) throw new Error(`${path} has no ${what}.`);
    return [{ path, text: text.replace(what, () => by) }];
  };
const dockerfile = changed('Dockerfile');
const compose = changed('compose.yaml');
const deploy = changed('docs/deploy.md');

const checks: readonly Check[] = [
  {
    name: 'telemetry does not name the file of the lock',
    find: findLockFileNames,
    planted: [
      {
        what: 'its path',
        files: source(`const path = 'project/${cut('.lo', 'ck')}';`, 'src/systems/telemetry/planted.ts'),
        finds: /names the lock's file/,
      },
      {
        what: 'its name in the page',
        files: source(`open('${cut('.lo', 'ck')}');`, 'src/browser/telemetry/planted.ts'),
        finds: /names the lock's file/,
      },
    ],
    innocent: source(`const name = 'autosave${cut('.lo', 'ck')}.readonly';`, 'src/systems/telemetry/planted.ts'),
  },
  {
    name: 'no file is longer than 500 lines',
    find: findLongFiles,
    planted: [{ what: '501 lines', files: source('x;\n'.repeat(501)), finds: /501 lines/ }],
    innocent: source('x;\n'.repeat(500)),
  },
  {
    name: 'names are kebab-case and name an idea',
    find: findBadNames,
    planted: [
      { what: 'a bucket', files: source('', 'src/engine/utils.ts'), finds: /names no idea/ },
      { what: 'a bucket folder', files: source('', 'src/engine/helpers/wait.ts'), finds: /names no idea/ },
      { what: 'camel case', files: source('', 'src/engine/leaseKeeper.ts'), finds: /not kebab-case/ },
      { what: 'camel case in a test', files: source('', 'test/process/killNine.test.ts'), finds: /not kebab-case/ },
    ],
    innocent: source('', 'src/stores/postgres/migrations/0001-leases.ts'),
  },
  {
    name: 'a file is named after its main export',
    find: (files) => {
      // A planted exception exists only where its file was planted.
      const planted = files.some((file) => file.path === 'src/core/family.ts')
        ? { 'src/core/family.ts': 'a family' }
        : {};
      return findMisnamedFiles(files, files === repository ? undefined : planted);
    },
    planted: [
      {
        what: 'another name',
        files: source('export const keeper = 1;', 'src/engine/lease-keeper.ts'),
        finds: /exports keeper/,
      },
      {
        what: 'no export',
        files: source('const leaseKeeper = 1;', 'src/engine/lease-keeper.ts'),
        finds: /exports nothing/,
      },
      {
        what: 'a stale exception',
        files: source('export const family = 1;', 'src/core/family.ts'),
        finds: /needs no exception/,
      },
    ],
    innocent: [
      ...source('export interface A {}\nexport function leaseKeeper(): void {}', 'src/engine/lease-keeper.ts'),
      ...source('export function decideRetry(): void {}', 'src/core/retry.ts'),
      ...source('export function parseNotice(): void {}', 'src/sql/notices.ts'),
      ...source('export const renewSharesStatement = 1;', 'src/sql/statements/renew-shares.ts'),
      ...source('export const a = 1;', 'src/core/family.ts'),
      ...source('run();', 'src/cli/main.ts'),
    ],
  },
  {
    name: 'nothing is left unfinished or silenced',
    find: findLeftovers,
    planted: [
      { what: 'a mark', files: source(cut('// TO', 'DO: later')), finds: /unfinished/ },
      { what: 'a silenced type', files: source(cut('// @ts', '-ignore\nx;')), finds: /hides an error/ },
      {
        what: 'a silenced rule',
        files: source(cut('// biome', '-ignore lint/style/x: no\nx;')),
        finds: /needs its reason/,
      },
      { what: 'any', files: source('const a = b as any;'), finds: /gives up the type/ },
      { what: 'a lonely test', files: source('it.only("x", run);', 'test/process/x.test.ts'), finds: /unrun/ },
    ],
    innocent: source(
      cut('// as any other file\n// biome', '-ignore lint/style/x: the name is given by the protocol\nx;'),
    ),
  },
  {
    name: 'time, timers and chance come from the platform',
    find: findBannedCalls,
    planted: [
      { what: 'Date.now', files: source('const now = Date.now();'), finds: /Date is ambient.*wallMs/ },
      { what: 'new Date', files: source('const now = new Date();'), finds: /Date is ambient/ },
      { what: 'globalThis', files: source('globalThis.setTimeout(run, 1);'), finds: /setTimeout is ambient/ },
      { what: 'Math.random', files: source('const chance = Math.random();'), finds: /Math\.random is ambient/ },
      { what: 'Math["random"]', files: source('const chance = Math["random"]();'), finds: /Math\.random is ambient/ },
      { what: 'performance.now', files: source('const now = performance.now();'), finds: /performance is ambient/ },
      { what: 'a timer', files: source('setTimeout(run, 5);'), finds: /setTimeout is ambient.*after/ },
      { what: 'a passed timer', files: source('start({ later: setInterval });'), finds: /setInterval is ambient/ },
      {
        what: 'AbortSignal.timeout',
        files: source('AbortSignal.timeout(5);'),
        finds: /AbortSignal\.timeout is ambient/,
      },
      {
        what: 'timers module',
        files: source("import { setTimeout as wait } from 'node:timers/promises';"),
        finds: /node:timers/,
      },
      {
        what: 'random bytes',
        files: source("import { randomUUID } from 'node:crypto';"),
        finds: /randomUUID is ambient/,
      },
      { what: 'global crypto', files: source('crypto.randomUUID();'), finds: /crypto is ambient/ },
    ],
    innocent: [
      ...source(
        '// Date.now() would be wrong\nconst text = "setTimeout(x)";\nconst a = { Date: 1 }; use(a.Date, a.performance);',
      ),
      ...source("import { createHash } from 'node:crypto';\nfunction f(at: Date): void {}"),
      ...source('setTimeout(run, Math.random());', 'src/platform/node.ts'),
      ...source('setTimeout(run, 1);', 'src/engine/planted.test.ts'),
    ],
  },
  {
    name: 'every shipped file is reached from an entry point',
    find: findUnreferencedFiles,
    planted: [
      { what: 'an orphan', files: [manifest(), ...source('', 'src/index.ts'), ...source('')], finds: /no entry point/ },
    ],
    innocent: [
      manifest({ bin: { x: './dist/cli/main.js' }, imports: { '#p': { default: './dist/platform/node.js' } } }),
      ...source("export { a } from './engine/a.ts';", 'src/index.ts'),
      ...source("const b = await import('./b.ts');", 'src/engine/a.ts'),
      ...source("new Worker(new URL('./c.js', import.meta.url));", 'src/engine/b.ts'),
      ...source('', 'src/engine/c.ts'),
      ...source('', 'src/cli/main.ts'),
      ...source('', 'src/platform/node.ts'),
      ...source('', 'src/engine/c.test.ts'),
    ],
  },
  {
    name: 'relative links in Markdown lead somewhere',
    find: findBrokenLinks,
    planted: [
      { what: 'a missing file', files: source('[x](gone.md)', 'docs/a.md'), finds: /gone\.md leads nowhere/ },
      { what: 'a missing heading', files: source('# Here\n[x](#there)', 'docs/a.md'), finds: /no heading for #there/ },
      { what: 'a reference', files: source('[x]: ../gone.md', 'docs/a.md'), finds: /gone\.md leads nowhere/ },
    ],
    innocent: [
      ...source(
        '# One & two\n[x](b.md#what-it-is) [y](#one--two) [z](../docs) [w](https://example.org/x)',
        'docs/a.md',
      ),
      ...source('## What it is?\n```md\n[x](gone.md)\n```\n`[x](gone.md)`', 'docs/b.md'),
    ],
  },
  {
    name: 'the exports map and the sources agree',
    find: findExportDrift,
    planted: [
      { what: 'a missing source', files: [manifest()], finds: /there is no src\/index\.ts/ },
      {
        what: 'a hidden face',
        files: [manifest(), ...source('', 'src/index.ts'), ...source('', 'src/stores/file/index.ts')],
        finds: /does not export it/,
      },
      {
        what: 'disorder',
        files: [manifest({ exports: { './b': './package.json', './a': './package.json' } })],
        finds: /not sorted/,
      },
      {
        what: 'a missing command',
        files: [manifest({ exports: {}, bin: { x: './dist/cli/main.js' } })],
        finds: /cli\/main/,
      },
    ],
    innocent: [
      manifest(),
      ...source('', 'src/index.ts'),
      ...source('', 'src/cli/start.ts'),
      ...source('', 'src/engine/deep/index.ts'),
    ],
  },
  {
    name: 'no download address and no machine path',
    find: findAddresses,
    planted: [
      {
        what: 'a lockfile with addresses',
        files: source(cut('"resol', 'ved": "https://example.org/a"'), 'package-lock.json'),
        finds: /lockfile/,
      },
      { what: 'a registry', files: source(cut('see regis', 'try.example.org'), 'README.md'), finds: /registry/ },
      { what: 'an archive', files: source(cut('https://example.org/a.t', 'gz'), '.ci/run'), finds: /download address/ },
      { what: 'a home', files: source(cut("cd '/ho", "me/somebody/x'"), 'scripts/x.mjs'), finds: /somebody’s machine/ },
    ],
    innocent: source('https://example.org/home/x "resolved": "bench/local" src/work/x ./root/y', 'docs/a.md'),
  },
  {
    name: 'the changelog has a current section',
    find: findChangelogGaps,
    planted: [
      { what: 'old news', files: [manifest(), ...source('## [1.0.0]\n- a', 'CHANGELOG.md')], finds: /neither/ },
      { what: 'silence', files: [manifest(), ...source('## [Unreleased]\n', 'CHANGELOG.md')], finds: /says nothing/ },
    ],
    innocent: [manifest(), ...source('## [1.2.3] - 2030-01-01\n### Added\n- a', 'CHANGELOG.md')],
  },
  {
    name: 'containers are well and hold no secrets',
    find: findContainerFaults,
    planted: [
      { what: 'root', files: dockerfile('USER node', 'USER root'), finds: /run as root/ },
      { what: 'no user', files: dockerfile('USER node\n', ''), finds: /run as root/ },
      { what: 'a secret', files: dockerfile('NODE_ENV=production', 'API_TOKEN=abc'), finds: /stay in the image/ },
      {
        what: 'no version',
        files: dockerfile('FROM node:24-bookworm-slim\nENV', 'FROM node\nENV'),
        finds: /name a version/,
      },
      { what: 'a shell in between', files: dockerfile('["kannuki"]', 'kannuki'), finds: /keep signals to itself/ },
      { what: 'a wrong word', files: dockerfile('WORKDIR /data', 'WORKDIRS /data'), finds: /WORKDIRS is not one/ },
      { what: 'no health', files: dockerfile(/^HEALTHCHECK.*\\\n.*\n/m, ''), finds: /no HEALTHCHECK/ },
      {
        what: 'a password',
        files: compose(/\$\{POSTGRES_PASSWORD:[^}]*\}\n {4}volumes/, 'abc\n    volumes'),
        finds: /holds a secret/,
      },
      { what: 'an open port', files: compose('"127.0.0.1:4011:4010"', '"4011:4010"'), finds: /open to the network/ },
      { what: 'a missing volume', files: compose('  server-b:\n  logs:', '  logs:'), finds: /not declared/ },
      {
        what: 'no version of a service',
        files: compose('redis:8-bookworm', 'redis:latest'),
        finds: /names no version/,
      },
      {
        what: 'no check of a service',
        files: compose(/ {4}healthcheck:\n {6}test: \["CMD", "redis-cli".*\n(?: {6}.*\n)*/, ''),
        finds: /redis: it has no healthcheck/,
      },
      { what: 'a tab', files: compose('  redis:\n    image', '\tredis:\n    image'), finds: /a tab/ },
      {
        what: 'a wrong indentation',
        files: compose('    image: redis', '     image: redis'),
        finds: /not understood|indentation/,
      },
      { what: 'a manifest without a probe', files: deploy('readinessProbe:', 'probe:'), finds: /no readinessProbe/ },
    ],
    innocent: repository.filter(({ path }) => ['Dockerfile', 'compose.yaml', 'docs/deploy.md'].includes(path)),
  },
  {
    name: 'index files hold named re-exports only',
    find: findIndexLogic,
    planted: [
      { what: 'logic', files: source('export const a = 1;', 'src/stores/x/index.ts'), finds: /:1: .*re-exports only/ },
      { what: 'a star', files: source("export * from './a.ts';", 'src/stores/x/index.ts'), finds: /re-exports only/ },
    ],
    innocent: source("export { type A, b } from './a.ts';\nexport type { C } from './c.ts';", 'src/stores/x/index.ts'),
  },
];

describe.each(checks)('$name', ({ find, planted, innocent }) => {
  it('holds in the repository', () => {
    expect(find(repository)).toEqual([]);
  });

  it.each(planted)('finds $what', ({ files, finds }) => {
    const problems = find(files);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(finds);
  });

  it('lets the innocent pass', () => {
    expect(find(innocent)).toEqual([]);
  });
});

it('lists the files that should explain their length', () => {
  const long = findLongFiles(repository, linesToExplain);
  if (long.length > 0) console.warn(`Over ${linesToExplain} lines, say why in the file:\n  ${long.join('\n  ')}`);
  expect(repository.length).toBeGreaterThan(30);
});

it('refuses an ignore rule it does not understand', () => {
  expect(() => ignoreRules('docs/**/x')).toThrow(/teach/);
});
