/**
 * The guide for those who come from another library: every block is compiled with the library's own types and run
 * against a real Redis.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { missingRedis } from '../servers/missing-redis.ts';
import { type RedisServer, startRedis } from '../servers/redis-server.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);
const blocks = [...readFileSync(join(root, 'docs/moving.md'), 'utf8').matchAll(/```ts\n([\s\S]*?)```/g)].map(
  ([, code = ''], i) => ({ name: `block-${i}`, code }),
);
/** What the blocks print, in their order: the other library, then Kannuki. */
const says = [
  /^redlock works\n$/,
  /^kannuki works as number \d{16}\n$/,
  /^redlock has both\n$/,
  /^kannuki has both\n$/,
  /^redis-semaphore works true\n$/,
  /^kannuki works true\n$/,
  /^redis-semaphore has one of two\n$/,
  /^kannuki has one of two\n$/,
  /^proper-lockfile works\n$/,
  /^kannuki works as number \d{16}\n$/,
];
const libraries = ['ioredis', 'redlock', 'redis-semaphore', 'proper-lockfile', '@types/proper-lockfile', '@types/node'];

describe('docs/moving.md', () => {
  const dir = mkdtempSync(join(tmpdir(), 'kannuki-moving-'));
  let server: RedisServer | undefined;
  let missing: string | undefined;
  let compiler = '';

  beforeAll(async () => {
    missing = await missingRedis();
    if (missing !== undefined) return;
    linkLibraries(dir);
    server = await startRedis();
    for (const { name, code } of blocks) writeFileSync(join(dir, `${name}.mts`), code);
    const compilerOptions = {
      strict: true,
      target: 'ES2022',
      lib: ['ES2023', 'ESNext.Disposable', 'DOM'],
      module: 'NodeNext',
      types: ['node'],
      skipLibCheck: true,
      // Its `exports` do not name its types.
      paths: { redlock: ['./node_modules/redlock/dist/index.d.ts'] },
    };
    writeFileSync(join(dir, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.mts'] }));
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const compiled = run(process.execPath, [tsc, '-p', dir]).then(
      () => '',
      (error: { readonly stdout?: string }) => error.stdout || String(error),
    );
    compiler = await compiled;
  });
  afterAll(async () => {
    await server?.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  it('has the blocks that are run here', () => {
    expect(blocks).toHaveLength(says.length);
  });

  it('all of them compile', ({ skip }) => {
    skip(missing !== undefined, missing);
    expect(compiler).toBe('');
  });

  for (const [i, { name }] of blocks.entries()) {
    it(`${name} runs and says what it says`, async ({ skip }) => {
      skip(missing !== undefined, missing);
      const { stdout, stderr } = await run(process.execPath, [join(dir, `${name}.mjs`)], {
        cwd: dir,
        env: { PATH: process.env.PATH ?? '', REDIS_URL: server?.url ?? '' },
      });
      expect(stderr).toBe('');
      expect(stdout).toMatch(says[i] ?? /never/);
    });
  }
});

/** The libraries by name, and the package itself, which is not installed in its own folder. */
function linkLibraries(dir: string): void {
  for (const name of [...libraries, 'kannuki']) {
    const link = join(dir, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(name === 'kannuki' ? root : join(root, 'node_modules', name), link);
  }
}
