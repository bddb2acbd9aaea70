/** `--store redis://…` as a user runs it: child processes of the built dist/cli/main.js, with either client library. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { missingRedis } from '../../test/servers/missing-redis.ts';
import { type RedisServer, startRedis } from '../../test/servers/redis-server.ts';

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command as if these packages were not installed. */
function run(args: readonly string[], hidden: readonly string[] = []): Promise<Ended> {
  const hook = `export async function resolve(name, context, next) {
    if (!${JSON.stringify(hidden)}.includes(name)) return next(name, context);
    throw Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
  }`;
  const register = `import { register } from 'node:module'; register(${JSON.stringify(dataUrl(hook))});`;
  const flags = hidden.length > 0 ? ['--import', dataUrl(register)] : [];
  return new Promise((resolve) => {
    const env = { PATH: process.env.PATH ?? '', NO_COLOR: '1' };
    execFile(process.execPath, [...flags, main, ...args], { env }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
    });
  });
}

const dataUrl = (text: string): string => `data:text/javascript,${encodeURIComponent(text)}`;

describe('redis://', () => {
  let server: RedisServer;
  let missing: string | undefined;
  beforeAll(async () => {
    missing = await missingRedis();
    if (missing === undefined) server = await startRedis();
  });
  beforeEach(({ skip }) => skip(missing !== undefined, missing));
  afterAll(() => server?.stop());

  it.each([
    ['ioredis', ['redis']],
    ['redis', ['ioredis']],
  ])('a lock over %s: held by one, listed, refused to another', { timeout: 60_000 }, async (library, hidden) => {
    const lock = `job-${library}`;
    const exec = ['exec', '--store', server.url, '--lock', lock, '--'];
    const inside = [process.execPath, main, 'leases', '--store', server.url, '--json'];
    const held = await run([...exec, ...inside], hidden);
    expect(held, held.stderr).toMatchObject({ code: 0 });
    expect(JSON.parse(held.stdout)).toMatchObject([{ key: lock, waiting: 0 }]);
    const refused = await run([...exec, process.execPath, main, ...exec, 'true'], hidden);
    expect(refused, 'the inner one is refused').toMatchObject({ code: 75 });
    expect(await run(['leases', '--store', server.url, '--json'], hidden)).toMatchObject({ code: 0, stdout: '[]\n' });
  });

  it('the doctor looks at the server', { timeout: 60_000 }, async () => {
    const { code, stdout } = await run(['doctor', '--store', server.url]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ok {4}store .*redis:\/\/127\.0\.0\.1:\d+ answers in/m);
    expect(stdout).toMatch(/^ok {4}redis eviction .*off/m);
    expect(stdout).toMatch(/^warn {2}redis persistence .*a restart forgets/m);
  });

  it('without a library, a server or a password it says so in one sentence', { timeout: 60_000 }, async () => {
    const exec = (url: string): string[] => ['exec', '--store', url, '--lock', 'a', '--', 'true'];
    expect(await run(exec(server.url), ['ioredis', 'redis'])).toMatchObject({
      code: 2,
      stderr: 'kannuki: A redis:// store needs a client library: npm install ioredis (or redis).\n',
    });
    for (const hidden of [[], ['ioredis']]) {
      const away = await run(exec('redis://u:secret@127.0.0.1:1'), hidden);
      expect(away).toMatchObject({
        code: 77,
        stderr: expect.stringMatching(/Redis at 127\.0\.0\.1:1 cannot be reached/),
      });
      expect(away.stderr).not.toContain('secret');
      const stranger = await run(exec(server.url.replace('//', '//nobody:wrong@')), hidden);
      expect(stranger).toMatchObject({ code: 77, stderr: expect.stringMatching(/refused \(WRONGPASS/) });
    }
  });
});
